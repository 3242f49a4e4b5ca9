// Puts one load on a server and tells what it cost.
import { fork } from 'node:child_process';
import { look, median, nextMessage } from './measure.mjs';
import { ours } from './processes.mjs';

const SAMPLE_MS = 1000;

export const DEFAULTS = {
  publishers: 150,
  mode: 'paced',
  seconds: 20,
  warmupSeconds: 5,
  recordBytes: 4096,
  profile: '1080p30',
  phases: 25,
  viewers: 0,
};

/** Beyond these a load was not the one that was planned. */
const LATE_MS = 100;
const ON_WIRE_SHARE = 0.98;
const CORES = 0.95;
const OTHERS_CORES = 0.2;

/** Starts the publishers of a load; resolves when all are accepted. `stop` ends them early. */
export async function startPublishers(server, load) {
  const argument = { ...DEFAULTS, ...load, port: server.port, keys: server.keys };
  const child = ours(fork(new URL('./publishers.mjs', import.meta.url), [JSON.stringify(argument)]));
  const ready = nextMessage(child, 'ready');
  ready.catch(() => child.kill('SIGKILL'));
  await ready;
  return {
    child,
    /** Both are listened for before the first byte goes. */
    go() {
      const marks = { counting: nextMessage(child, 'counting'), done: nextMessage(child, 'done') };
      for (const mark of Object.values(marks)) mark.catch(() => undefined);
      child.send('go');
      return marks;
    },
    stop: () => child.kill('SIGKILL'),
  };
}

/** Viewers of HTTP-FLV, spread over the broadcasts of a server. */
async function startViewers(server, count) {
  if (count === 0) return { bytes: async () => 0, stop: () => undefined };
  const addresses = await server.viewerAddresses(count);
  const child = ours(fork(new URL('./viewers.mjs', import.meta.url), [JSON.stringify({ addresses })]));
  await nextMessage(child, 'ready');
  return {
    async bytes() {
      child.send('count');
      return nextMessage(child, 'bytes');
    },
    stop: () => child.kill('SIGKILL'),
  };
}

/** Looks at a server each second, until `stop`. */
export function looksAt(server) {
  const taken = [];
  const timer = setInterval(() => taken.push(look(server)), SAMPLE_MS);
  return { taken, stop: () => clearInterval(timer) };
}

export async function underLoad(server, load) {
  const before = look(server);
  const publishers = await startPublishers(server, load);
  const { counting, done } = publishers.go();
  let viewers;
  try {
    // Who watches comes when there is something to see.
    if (load.viewers > 0) await new Promise((resolve) => setTimeout(resolve, 1000));
    viewers = await startViewers(server, load.viewers ?? 0);
    await counting;
    const first = look(server);
    const watchedBefore = await viewers.bytes();
    const looks = looksAt(server);
    const report = await done.finally(() => looks.stop());
    const last = look(server);
    const watched = (await viewers.bytes()) - watchedBefore;
    return resultOf({ before, first, last, samples: looks.taken, report, watched, load });
  } finally {
    viewers?.stop();
    publishers.stop();
  }
}

/** The figures of a load on a server from looks at it before the connections, at both ends and between, and the sender's report. */
export function resultOf({ before, first, last, samples, report, watched, load }) {
  const gigabytes = report.bytes / 1e9;
  const cpu = last.carrying - first.carrying;
  const tools = last.tools - first.tools;
  const others = ((last.machine - first.machine - cpu - tools) * 1000) / report.elapsedMs - report.cores;
  const looks = [...samples, last];
  const memoryMb = median(looks.map((at) => at.memoryMb));
  const filesMb = median(looks.map((at) => at.filesMb));
  const each = (mb) => (mb * 1024) / load.publishers;
  return {
    cpuPerGb: cpu / gigabytes,
    cpuPerGbBothWays: cpu / (gigabytes + watched / 1e9),
    cores: (cpu * 1000) / report.elapsedMs,
    toolsCpu: tools,
    memoryMb,
    memoryKbPerPublisher: each(memoryMb - before.memoryMb),
    filesKbPerPublisher: each(filesMb - before.filesMb),
    mbps: (report.bytes * 8) / 1e3 / report.elapsedMs,
    plannedMbps: (report.plannedBytes * 8) / 1e3 / report.elapsedMs,
    watchedMbps: (watched * 8) / 1e3 / report.elapsedMs,
    generatorCores: report.cores,
    othersCores: others,
    faults: faultsOf(report, load, others),
  };
}

/** Why the figures are not those of the load that was planned; none when they are. */
function faultsOf({ lost, lateP99Ms, bytes, plannedBytes, cores }, { mode, viewers, isShared }, others) {
  const faults = [];
  // What viewers cost is counted among the others, and what the server costs that is measured at the same time.
  if (viewers === 0 && !isShared && others > OTHERS_CORES)
    faults.push(`other work kept ${others.toFixed(2)} cores busy`);
  if (lost > 0) faults.push(`${lost} connections were closed by the server`);
  if (mode === 'flood') {
    if (cores > CORES) faults.push(`the load generator was at its limit (${cores.toFixed(2)} cores)`);
    return faults;
  }
  if (bytes < plannedBytes * ON_WIRE_SHARE)
    faults.push(`only ${((100 * bytes) / plannedBytes).toFixed(0)} % of the planned bytes left the load generator`);
  if (lateP99Ms > LATE_MS)
    faults.push(`the load was ${lateP99Ms} ms late at the 99th percentile (${cores.toFixed(2)} cores)`);
  return faults;
}

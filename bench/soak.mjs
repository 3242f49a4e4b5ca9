/**
 * Does memory grow? Publishers in real time for an hour, a look at the server each ten seconds, a table (CSV), a picture
 * (SVG) and a test of the slope of the second half. Ends with 1 when something grows, or a connection was lost.
 *
 *   node bench/soak.mjs [--publishers 150] [--minutes 60] [--profile 1080p30] [--every 10] [--record] [--out FOLDER]
 *
 * With --sessions SECONDS each publisher leaves after so long and another one comes with a live video of its own. Ends with 1 when
 * the server at rest, a minute after the last, holds more than 350 MB, or more than 260 with shared pages counted once; or more than 260 MB
 * a minute after its start.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { startPublishers } from './lib/load.mjs';
import { look, memoryOf } from './lib/measure.mjs';
import { svg } from './lib/plot.mjs';
import { growth } from './lib/trend.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '150' },
    minutes: { type: 'string', default: '60' },
    profile: { type: 'string', default: '1080p30' },
    every: { type: 'string', default: '10' },
    record: { type: 'boolean', default: false },
    sessions: { type: 'string' },
    out: { type: 'string', default: 'bench-soak' },
  },
});
const publishers = Number(options.publishers);
const seconds = Number(options.minutes) * 60;
const everyMs = Number(options.every) * 1000;

/** Of all processes at rest: the sum of their resident memory, and with pages that they share counted once. */
const AT_REST = { residentMb: 350, sharedOnceMb: 260 };
const AFTER_START_MB = 260;
const REST_MS = 60_000;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Groups of publishers, each a process of the load generator. Resolves with what exceeds its bound. */
async function comeAndGo(server, sessionSeconds) {
  const group = Math.min(12, publishers);
  let sessions = 0;
  const rows = [];
  const note = (when) => {
    const taken = memoryOf(server);
    const sum = (name) => Math.round(taken.reduce((total, each) => total + each[name], 0));
    const roles = taken.map(({ role, privateMb }) => [role, Math.round(privateMb)]);
    const all = { 'shared once': sum('sharedOnceMb'), resident: sum('residentMb'), files: sum('filesMb') };
    rows.push({ when, sessions, ...all, ...Object.fromEntries(roles) });
    return all;
  };
  // The start has memory of its own to give back, and the media process ends when it has had nothing to do.
  await wait(REST_MS);
  const start = note('start');
  const endsAt = performance.now() + seconds * 1000;
  const next = async () => {
    while (performance.now() < endsAt) {
      const lives = await Promise.all(Array.from({ length: group }, () => server.createLive()));
      const keys = lives.map(({ key }) => key);
      const load = { publishers: group, seconds: sessionSeconds, warmupSeconds: 0, profile: options.profile };
      const { lost } = await (await startPublishers({ port: server.port, keys }, load)).go().done;
      if (lost > 0) throw new Error(`the server closed ${lost} connections`);
      sessions += group;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(publishers / group)) }, next));
  note('end');
  await wait(REST_MS);
  const rest = note('at rest');
  console.log('MB; each role without the pages of files');
  console.table(rows);
  await server.stop();
  const bounds = [
    ['resident after the start', start.resident, AFTER_START_MB],
    ['resident at rest', rest.resident, AT_REST.residentMb],
    ['at rest, shared pages once', rest['shared once'], AT_REST.sharedOnceMb],
  ];
  return bounds
    .filter(([, found, most]) => found > most)
    .map(([what, found, most]) => `${what}: ${found} of ${most} MB`);
}

buildIfStale();
content(options.profile);
mkdirSync(options.out, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'airlock-soak-'));
const env = { AIRLOCK_RECORD: options.record ? 'on' : 'off' };
if (options.sessions !== undefined) {
  const over = await comeAndGo(await startAirlock({ scratch, env }), Number(options.sessions));
  rmSync(scratch, { recursive: true, force: true });
  for (const line of over) console.error(line);
  process.exit(over.length > 0 ? 1 : 0);
}
const server = await startAirlock({ scratch, publishers, env });

/** Gauges of the server's own metrics, in megabytes. */
async function gauges() {
  const body = await (await fetch(`${server.quickstart.http_url}/metrics`)).text();
  const value = (name) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(body)?.[1]);
  const mb = (name) => value(name) / 1024 / 1024;
  return {
    heapMb: mb('nodejs_heap_size_used_bytes'),
    heapTotalMb: mb('nodejs_heap_size_total_bytes'),
    externalMb: mb('nodejs_external_memory_bytes'),
    publishers: value('airlock_publishers'),
  };
}

const samples = [];
const csv = join(options.out, 'soak.csv');
/** As they come: a run that is cut short leaves what it saw. */
function keep(row) {
  if (samples.length === 0) writeFileSync(csv, `${Object.keys(row).join(',')}\n`);
  samples.push(row);
  const cells = Object.values(row).map((value) => Number(value.toFixed(3)));
  appendFileSync(csv, `${cells.join(',')}\n`);
}

const load = await startPublishers(server, { publishers, seconds, warmupSeconds: 0, profile: options.profile });
const startedAt = performance.now();
const { done } = load.go();
let last = { at: startedAt, cpu: look(server).carrying };

async function sample() {
  const { carrying, memoryMb, filesMb } = look(server);
  const at = performance.now();
  const cores = ((carrying - last.cpu) * 1000) / (at - last.at);
  last = { at, cpu: carrying };
  const own = { rssMb: memoryMb, filesMb, anonymousMb: memoryMb - filesMb };
  keep({ seconds: (at - startedAt) / 1000, ...own, cores, ...(await gauges()) });
}

let timer;
/** Ends the run when the server can no longer be looked at: it is gone. */
const gone = new Promise((_resolve, reject) => {
  timer = setInterval(() => sample().catch(reject), everyMs);
});
const report = await Promise.race([done, gone]).finally(() => clearInterval(timer));
await server.stop();
rmSync(scratch, { recursive: true, force: true });
if (samples.length < 4) throw new Error('too short: at least four looks are needed');

const times = samples.map((row) => row.seconds);
const series = (name, column) => ({ name, values: samples.map((row) => row[column]) });
const picture = svg({
  title: `Airlock, ${publishers} publishers of ${options.profile}, ${options.minutes} minutes`,
  times,
  panels: [
    {
      title: 'memory, MB',
      series: [
        series('resident', 'rssMb'),
        series('without files', 'anonymousMb'),
        series('heap', 'heapTotalMb'),
        series('heap used', 'heapMb'),
        series('external', 'externalMb'),
      ],
    },
    { title: 'CPU, cores', series: [series('server', 'cores')] },
  ],
});
writeFileSync(join(options.out, 'soak.svg'), picture);

const judged = Object.entries({
  // Without the pages of files: the embedded store's grow with what it has to keep, and the kernel takes them back.
  'resident without files': 'anonymousMb',
  heap: 'heapTotalMb',
  'heap used': 'heapMb',
  external: 'externalMb',
  CPU: 'cores',
}).map(([name, column]) => ({ name, ...growth(times, series(name, column).values) }));
console.log('\n| Second half | change an hour | share of the median | z | verdict |');
console.log('|---|---|---|---|---|');
for (const { name, perHour, share, score, grows } of judged)
  console.log(
    `| ${name} | ${perHour.toFixed(2)} | ${(100 * share).toFixed(1)} % | ${score.toFixed(1)} | ${grows ? 'grows' : 'does not grow'} |`,
  );
const gigabytes = (report.bytes / 1e9).toFixed(1);
console.log(`\n${gigabytes} GB, ${report.lost} connections lost; ${csv} and soak.svg written`);
process.exit(report.lost > 0 || judged.some(({ grows }) => grows) ? 1 : 0);

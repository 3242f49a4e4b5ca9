/**
 * How soon is each encoder judged again, when all of them return at once? Publishers over TLS in one process, and a server that is
 * killed under them and started again (`server`), whose ingest process alone is killed (`ingest`), or that is
 * replaced in place (`reload`).
 *
 *   node bench/herd.mjs [--publishers 1000] [--end server|ingest|reload] [--rounds 1] [--redis]
 *
 * `--redis` starts a redis-server of its own, which must be in the PATH. The encoders share the processors with the server.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { cpuSeconds, family } from './lib/measure.mjs';
import { freePort, ours, stop, untilListening } from './lib/processes.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '1000' },
    end: { type: 'string', default: 'server' },
    rounds: { type: 'string', default: '1' },
    redis: { type: 'boolean', default: false },
  },
});
const publishers = Number(options.publishers);
const profile = '360p30';
const POLL_MS = 100;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

if (process.env.AIRLOCK_BENCH_BUILT === undefined) buildIfStale();
content(profile);
const scratch = mkdtempSync(join(tmpdir(), 'airlock-bench-herd-'));
const [rtmps, http] = [await freePort(), await freePort()];

async function startRedis() {
  const port = await freePort();
  const child = ours(
    spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', scratch, '--save', ''], {
      stdio: 'ignore',
    }),
  );
  await untilListening(port, child);
  return { url: `redis://127.0.0.1:${port}`, child };
}
const redis = options.redis ? await startRedis() : undefined;

const env = {
  AIRLOCK_RTMPS_PORT: String(rtmps),
  AIRLOCK_HTTP_PORT: String(http),
  AIRLOCK_RECORD: 'on',
  AIRLOCK_DRAIN_S: '1',
  ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
};
const server = await startAirlock({ scratch, publishers, env });
let child = server.child;

/** The program of the server again, with the environment of the first time. */
function startAgain() {
  child = ours(
    spawn(process.execPath, ['dist/main.js', 'serve'], {
      cwd: join(import.meta.dirname, '..'),
      env: {
        ...process.env,
        AIRLOCK_DATA_DIR: server.data,
        AIRLOCK_CERTS_DIR: join(scratch, 'certs'),
        AIRLOCK_OWNER_MAX_PUBLISHERS: '0',
        AIRLOCK_LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

async function metrics() {
  const answer = await fetch(`http://127.0.0.1:${http}/metrics`).catch(() => undefined);
  if (!answer?.ok) return new Map();
  const lines = (await answer.text()).split('\n').filter((line) => /^airlock_\w+ /.test(line));
  return new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

const cpuOf = (pids) =>
  pids.reduce((sum, pid) => {
    // One that ended meanwhile is not counted any more.
    if (!existsSync(`/proc/${pid}/stat`)) return sum;
    return sum + cpuSeconds(pid);
  }, 0);

/** Ends what the encoders are connected to. */
function end() {
  const all = family(child.pid);
  if (options.end === 'server') {
    for (const signal of ['SIGSTOP', 'SIGKILL']) for (const pid of all) process.kill(pid, signal);
    startAgain();
  } else if (options.end === 'ingest') {
    const ingest = all.filter((pid) => titleOf(pid) === 'airlock-ingest');
    for (const pid of ingest) process.kill(pid, 'SIGKILL');
  } else {
    spawn(process.execPath, ['dist/main.js', 'reload'], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, AIRLOCK_DATA_DIR: server.data },
      stdio: 'ignore',
    });
  }
}

function titleOf(pid) {
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(' ')[0];
}

const load = ours(
  fork(join(import.meta.dirname, 'lib/herd-load.mjs'), [JSON.stringify({ port: rtmps, keys: server.keys, profile })], {
    stdio: 'inherit',
  }),
);
const nextAll = async () => {
  for (;;) {
    const [message] = await once(load, 'message');
    if (message.all) return message.all;
  }
};
await nextAll();
console.log(`${publishers} publishers, ${options.end}, ${redis === undefined ? 'embedded store' : 'Redis'}`);

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

for (let round = 0; round < Number(options.rounds); round++) {
  await wait(3_000);
  load.send({ count: true });
  const all = nextAll();
  const cpuBefore = options.end === 'server' ? 0 : cpuOf(family(child.pid));
  const endMs = Date.now();
  end();
  const { atMs, tries, failures, cpuSeconds: loadCpu, messages } = await all;
  for (;;) {
    const seen = await metrics();
    if (
      seen.get('airlock_publishers') === publishers &&
      (seen.get('airlock_received_packets_total') ?? 0) >= publishers * messages
    )
      break;
    await wait(POLL_MS);
  }
  const judgedMs = Date.now() - endMs;
  const times = atMs.map((ms) => ms - endMs).sort((a, b) => a - b);
  const cpu = cpuOf(family(child.pid)) - cpuBefore;
  const ofRole = (role) => cpuOf(family(child.pid).filter((pid) => titleOf(pid) === `airlock-${role}`)).toFixed(1);
  console.log(
    [
      `accepted: first ${seconds(times[0])}, half ${seconds(quantile(times, 0.5))}, last ${seconds(times.at(-1))}`,
      `all judged after ${seconds(judgedMs)}, ${seconds(judgedMs - times[0])} after the first was accepted`,
      `${tries} connections for ${publishers}; failed: ${JSON.stringify(failures)}`,
      `CPU: server ${cpu.toFixed(1)} s (since their start: ingest ${ofRole('ingest')}, store ${ofRole('store')}, web ${ofRole('web')})${redis === undefined ? '' : `, Redis ${cpuSeconds(redis.child.pid).toFixed(1)} s in all`}, encoders ${loadCpu.toFixed(1)} s`,
    ].join('\n'),
  );
}
load.removeAllListeners();
await stop(load);
await stop(child, 'SIGTERM');
if (redis !== undefined) await stop(redis.child);
rmSync(scratch, { recursive: true, force: true });
process.exit(0);

/**
 * What does a publisher ask of Redis? Commands as Redis counted them (INFO commandstats): while publishers come, while they
 * send what meets the specification, and for a fault that is raised. With `--workers` by that many ingest processes.
 *
 *   node bench/redis.mjs [--publishers 50] [--seconds 30] [--workers 1] [--redis redis://127.0.0.1:6379/9]
 *
 * Without `--redis` a redis-server of its own is started, which must be in the PATH.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { startPublishers } from './lib/load.mjs';
import { cpuSeconds } from './lib/measure.mjs';
import { freePort, ours, stop, untilListening } from './lib/processes.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '30' },
    workers: { type: 'string', default: '1' },
    redis: { type: 'string' },
  },
});
const publishers = Number(options.publishers);
const seconds = Number(options.seconds);
const profile = '360p30';

buildIfStale();
content(profile);
const scratch = mkdtempSync(join(tmpdir(), 'airlock-bench-redis-'));

async function startRedis() {
  const port = await freePort();
  const arguments_ = ['--port', String(port), '--bind', '127.0.0.1', '--dir', scratch, '--save', ''];
  const child = ours(spawn('redis-server', arguments_, { stdio: 'ignore' }));
  await untilListening(port, child);
  return { url: `redis://127.0.0.1:${port}`, child };
}

const own = options.redis === undefined ? await startRedis() : undefined;
const url = options.redis ?? own.url;
const redis = new Redis(url);

/** Calls of each command since the server began, and its CPU. */
async function asked() {
  const info = await redis.info('commandstats');
  const calls = new Map([...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, n]) => [name, Number(n)]));
  calls.delete('info');
  const memory = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  return { calls, memory, cpu: own === undefined ? undefined : cpuSeconds(own.child.pid) };
}

/** What has been asked since, by kinds of command, most first. */
async function since(before) {
  const now = await asked();
  const rows = [...now.calls].map(([name, calls]) => [name, calls - (before.calls.get(name) ?? 0)]);
  const calls = rows.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  const cpu = now.cpu === undefined ? undefined : now.cpu - before.cpu;
  return { calls, total: calls.reduce((sum, [, count]) => sum + count, 0), cpu, memory: now.memory - before.memory };
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const workers = Number(options.workers);
const env = { REDIS_URL: url, ...(workers > 1 ? { AIRLOCK_WORKERS: String(workers) } : {}) };
const server = await startAirlock({ scratch, publishers, env });

const idleBefore = await asked();
await wait(10_000);
const idle = await since(idleBefore);
const idlePerSecond = idle.total / 10;

const comingBefore = await asked();
const load = await startPublishers(server, { publishers, seconds: seconds + 9, warmupSeconds: 0, profile });
const { done } = load.go();
// Going LIVE and the first checkpoint belong to coming.
await wait(8_000);
const coming = await since(comingBefore);

const steadyBefore = await asked();
await wait(seconds * 1000);
const steady = await since(steadyBefore);

// All connections cut: one fault each is raised (STREAM_INTERRUPTED), stored and indexed.
const cutBefore = await asked();
const sendsFrom = performance.now();
const report = await done;
const sentFor = (performance.now() - sendsFrom) / 1000;
await wait(2_000);
const cut = await since(cutBefore);

const line = (name, count, unit, { calls, cpu }, share) => {
  const most = calls.slice(0, 8).map(([command, n]) => `${command} ${share(n).toFixed(2)}`);
  const redisCpu = cpu === undefined ? '' : `${((cpu * 1e6) / Math.max(1, count)).toFixed(0)}`;
  console.log(`| ${name} | ${share(count).toFixed(2)} ${unit} | ${most.join(', ')} | ${redisCpu} |`);
};
console.log(`\n${publishers} publishers, ${workers} ingest process${workers > 1 ? 'es' : ''}, ${report.lost} lost\n`);
console.log('| While | commands | of these | CPU of Redis a command, µs |');
console.log('|---|---|---|---|');
line('no publisher', idle.total, 'a second', idle, (n) => n / 10);
line('a publisher comes', coming.total - 8 * idlePerSecond, 'a publisher', coming, (n) => n / publishers);
line('it sends, clean', steady.total, 'a publisher and second', steady, (n) => n / publishers / seconds);
line(
  'its connection breaks',
  cut.total - (steady.total / seconds) * sentFor,
  'a publisher',
  cut,
  (n) => n / publishers,
);
console.log(
  '\nCommands that scripts call count beside the script, and those in the third column are not reduced by what went on',
);
console.log('before: round trips are fewer.');
console.log(
  `memory of Redis that a publisher adds while it sends: ${(coming.memory / publishers / 1024).toFixed(1)} KB`,
);

await server.stop();
redis.disconnect();
if (own !== undefined) await stop(own.child, 'SIGTERM');
rmSync(scratch, { recursive: true, force: true });
process.exit(0);

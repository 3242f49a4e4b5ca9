/**
 * How long from the packet that proves a violation to the push that tells of it? Encoders of a process of their own do one
 * thing wrong each, beside a load of others that do everything right; measured from the write of the message to its
 * onStatus. Beside it, in the same process and minutes, a ping of RTMP: what any answer takes under that load.
 *
 * Each sample is an encoder that connects anew, fifty a second with one at a time: more at once measure handshakes.
 *
 * With --http N, N clients read the error list and ten fields of a live video meanwhile, each as fast as it is answered.
 *
 * With --age S, each encoder publishes in real time for S seconds before: from 10 s on it may be read at intervals. The goal
 * is for those that have just begun.
 *
 *   node bench/latency.mjs [--publishers 150] [--samples 1000] [--at-once 1] [--profile 1080p30] [--record] [--http 0] [--age 0]
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { READS, startHttpLoad } from './lib/http-load.mjs';
import { startPublishers } from './lib/load.mjs';
import { look, nextMessage } from './lib/measure.mjs';
import { ours } from './lib/processes.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '150' },
    samples: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '1' },
    profile: { type: 'string', default: '1080p30' },
    record: { type: 'boolean', default: false },
    http: { type: 'string', default: '0' },
    age: { type: 'string', default: '0' },
  },
});
const [publishers, samples, atOnce, readers] = ['publishers', 'samples', 'at-once', 'http'].map((name) =>
  Number(options[name]),
);
const GOAL_MS = 20;
const SETTLE_MS = 5_000;
/** The load outlives the samples and is then stopped. */
const LONG_S = 24 * 3600;

buildIfStale();
content(options.profile);
const scratch = mkdtempSync(join(tmpdir(), 'airlock-latency-'));
async function startReaders() {
  const { http_url: origin, access_token: token } = server.quickstart;
  const paths = server.lives.slice(0, publishers).flatMap(({ id }) => READS.map(({ pathOf }) => pathOf(id)));
  return startHttpLoad({ origin, paths, headers: { authorization: `Bearer ${token}` }, connections: readers });
}

const server = await startAirlock({
  scratch,
  publishers: publishers + samples,
  env: { AIRLOCK_RECORD: options.record ? 'on' : 'off' },
});
const [good, bad] = [server.keys.slice(0, publishers), server.keys.slice(publishers)];
const load = await startPublishers(
  { port: server.port, keys: good },
  { publishers, seconds: LONG_S, warmupSeconds: 0, profile: options.profile },
);
load.go();
const http = readers === 0 ? undefined : await startReaders();
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

const encoders = JSON.stringify({ port: server.port, keys: bad, atOnce, ageSeconds: Number(options.age) });
const faulty = ours(fork(new URL('./lib/faulty.mjs', import.meta.url), [encoders]));
await nextMessage(faulty, 'ready');
const before = { ...look(server), at: performance.now() };
faulty.send('go');
const { pushes, pings } = await nextMessage(faulty, 'done');
const after = look(server);
const seconds = (performance.now() - before.at) / 1000;
const reads = await http?.stop();
load.stop();
await server.stop();
rmSync(scratch, { recursive: true, force: true });

const at = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))];
const line = (name, values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const figures = [at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.99), sorted.at(-1)].map((ms) => ms.toFixed(1));
  console.log(`| ${name} | ${sorted.length} | ${figures.join(' | ')} |`);
};
const cores = (cpu) => (cpu / seconds).toFixed(2);
const others = after.machine - before.machine - (after.carrying - before.carrying);
console.log(`\nBeside ${publishers} publishers of ${options.profile}, ${seconds.toFixed(0)} s; the server took`);
console.log(`${cores(after.carrying - before.carrying)} cores, the load generators and all else ${cores(others)}\n`);
if (reads !== undefined) console.log(`${reads.perSecond.toFixed(0)} reads a second over HTTP by ${readers} clients\n`);
console.log('| From … to | samples | median, ms | 90 % | 99 % | longest |');
console.log('|---|---|---|---|---|---|');
if (pings.length > 0) line('ping request to ping response', pings);
for (const [name, values] of Object.entries(pushes)) line(name, values);
const all = Object.values(pushes)
  .flat()
  .sort((a, b) => a - b);
line('all pushes', all);
const p99 = at(all, 0.99);
const hasGoal = options.age === '0';
console.log(`\n99 % within ${p99.toFixed(1)} ms${hasGoal ? `; the goal is ${GOAL_MS} ms` : ''}`);
process.exit(hasGoal && p99 > GOAL_MS ? 1 : 0);

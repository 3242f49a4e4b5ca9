/**
 * How far does the control plane of a cluster go? The publishers of many machines without their media: what each asks of
 * Redis while it sends, and what those of lost machines ask when they return, through Airlock's own store on a real Redis.
 *
 *   node bench/simulate.mjs [--publishers 100000] [--machines 40] [--lost 3] [--seconds 6] [--per-process 239]
 *
 * The calls of `--seconds` seconds are made as fast as Redis answers. The processor time that Redis takes for them, divided
 * by these seconds, is its load in real time: beyond 0.7 of a core it takes that many more shards. Needs redis-server.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { buildIfStale } from './lib/airlock.mjs';
import { cpuSeconds } from './lib/measure.mjs';
import { freePort, ours, stop, untilListening } from './lib/processes.mjs';

const { values } = parseArgs({
  options: {
    publishers: { type: 'string', default: '100000' },
    machines: { type: 'string', default: '40' },
    lost: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    'per-process': { type: 'string', default: '239' },
  },
});
const [publishers, machines, lost, seconds] = ['publishers', 'machines', 'lost', 'seconds'].map((key) =>
  Number(values[key]),
);
/** Processes that hear each event: the ingest processes, and one web and one media process a machine. */
const processes = Math.ceil(publishers / Number(values['per-process'])) + 2 * machines;
/** Intervals of a publisher that sends, from src/broadcasts/limits.ts and src/dashboard/view/limits.ts. */
const RENEW_S = 3;
const HEALTH_S = 2;
const JUDGE_S = 5;
/** Sizes of a judge's state and of a health report of a clean stream of H.264 and AAC, as JSON. */
const JUDGE_BYTES = 3_600;
const HEALTH_BYTES = 700;
const LEASE_MS = 10_000;
const KEPT_MS = 600_000;
const AT_ONCE = 500;
const CORE = 0.7;

buildIfStale();
const { openStore } = await import('../dist/store/open.js');
const scratch = mkdtempSync(join(tmpdir(), 'airlock-simulate-'));
const port = await freePort();
const redis = ours(
  spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', scratch, '--save', ''], {
    stdio: 'ignore',
  }),
);
await untilListening(port, redis);
const redisUrl = `redis://127.0.0.1:${port}`;
const info = new Redis(redisUrl);
const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => log };
const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };
const store = await openStore({ dataDir: scratch, redisUrl, log, clock });

const text = (bytes) => ({ state: 'x'.repeat(bytes) });
const [judge, health] = [text(JUDGE_BYTES), text(HEALTH_BYTES)];
const idOf = (index) => `${1_000_000_000 + index}`;
const machineOf = (index) => index % machines;

/** Calls `one` for each of `count`, some hundred at once. */
async function each(count, one) {
  let next = 0;
  const worker = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function commandsOf() {
  const stats = await info.info('commandstats');
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** What `work` cost Redis. */
async function costOf(work) {
  const [commands, cpu, fromMs] = [await commandsOf(), cpuSeconds(redis.pid), performance.now()];
  await work();
  return {
    commands: (await commandsOf()) - commands,
    cpu: cpuSeconds(redis.pid) - cpu,
    wallMs: performance.now() - fromMs,
  };
}

const put = (id, data, version) => ({
  op: 'put',
  object: { id, kind: 'live_video', createdMs: 1, updatedMs: 1, data },
  expect: version,
});
const connected = (id) => ({ op: 'edgeAdd', owner: 'system', edge: 'connected', member: id, score: 1 });
const leases = [];

/** A publish: the live video, the lease, the owner's slot, the change to LIVE. */
async function publish(index, holder) {
  const id = idOf(index);
  const owner = `${500_000_000 + (index % 5_000)}`;
  await store.objects.get(id);
  const before = leases[index];
  leases[index] =
    before === undefined
      ? await store.leases.acquire(`publish:${id}`, holder, LEASE_MS * 60)
      : await takeOver(before, holder);
  const found = await store.objects.get(id);
  await store.objects.get(owner);
  await store.objects.commit([
    { op: 'edgeAdd', owner: `publishers_${owner}`, edge: 'publishing', member: `publish:${id}`, score: 1 },
  ]);
  await store.volatile.get(`judge:${id}`);
  await store.objects.commit([put(id, { status: 'LIVE', title: 'x'.repeat(400) }, found?.version ?? 0), connected(id)]);
  await store.volatile.set(`judge:${id}`, judge, KEPT_MS);
  store.bus.publish('state', { liveVideoId: id, ownerId: owner, status: 'LIVE', stream: 'connected', atMs: 1 });
}

async function takeOver(before, holder) {
  await store.leases.acquire(before.key, holder, LEASE_MS * 60);
  const current = await store.leases.holder(before.key);
  await store.leases.isAlive(current.holder);
  return store.leases.takeOver(current, holder, LEASE_MS * 60);
}

async function sendFor() {
  await each(Math.round((publishers * seconds) / RENEW_S), (n) =>
    store.leases.renew(leases[n % publishers], LEASE_MS * 60),
  );
  await each(Math.round((publishers * seconds) / HEALTH_S), (n) =>
    store.volatile.set(`health:${idOf(n % publishers)}`, health, 30_000),
  );
  await each(Math.round((publishers * seconds) / JUDGE_S), (n) =>
    store.volatile.set(`judge:${idOf(n % publishers)}`, judge, KEPT_MS),
  );
}

const memoryMb = async () => Number(/^used_memory:(\d+)/m.exec(await info.info('memory'))?.[1]) / 1e6;
const emptyMb = await memoryMb();
const coming = await costOf(() => each(publishers, (n) => publish(n, `machine-${machineOf(n)}`)));
const sending = await costOf(sendFor);
const fullMb = await memoryMb();
const gone = Array.from({ length: publishers }, (_, n) => n).filter((n) => machineOf(n) < lost);
const returning = await costOf(() =>
  each(gone.length, (n) => publish(gone[n], `machine-${lost + (n % (machines - lost))}`)),
);

const listeners = await Promise.all(
  Array.from({ length: machines }, async () => {
    const listener = new Redis(redisUrl);
    await listener.subscribe('events');
    return listener;
  }),
);
const EVENTS = 5_000;
const event = JSON.stringify({ broadcastId: idOf(1), records: [text(900)] });
const events = await costOf(() => each(EVENTS, () => info.publish('events', event)));
const deliveryUs = (events.cpu * 1e6) / EVENTS / machines;

const perSecond = sending.commands / seconds;
const load = sending.cpu / seconds;
/** One record a publisher and minute, and one change of state in an hour of stream, to every process. */
const eventsPerSecond = publishers / 60 + publishers / 1_800;
const eventLoad = (eventsPerSecond * processes * deliveryUs) / 1e6;
const rows = [
  [
    'a publisher connects: commands, and CPU of Redis, µs',
    (coming.commands / publishers).toFixed(0),
    ((coming.cpu * 1e6) / publishers).toFixed(0),
  ],
  [`${publishers} send: commands a second, and cores of Redis`, perSecond.toFixed(0), load.toFixed(2)],
  ['shards for that at 70 % of a core', Math.ceil(load / CORE), ''],
  [
    'memory of Redis, MB, and KB a publisher',
    (fullMb - emptyMb).toFixed(0),
    (((fullMb - emptyMb) * 1000) / publishers).toFixed(1),
  ],
  [`${lost} machines are lost: publishers, and CPU of Redis, s`, gone.length, returning.cpu.toFixed(2)],
  ['events a second, and processes that hear each', eventsPerSecond.toFixed(0), processes],
  ['CPU of Redis a delivery, µs, and cores for all deliveries', deliveryUs.toFixed(2), eventLoad.toFixed(2)],
];
console.log(`\n${publishers} publishers on ${machines} machines\n\n| | | |\n|---|---|---|`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
for (const listener of [info, ...listeners]) listener.disconnect();
await store.close();
await stop(redis, 'SIGTERM');
rmSync(scratch, { recursive: true, force: true });
process.exit(0);

// node bench/starts.mjs [--publishers 150] [--rounds 3] [--seconds 2] [--profile 1080p30] [--record] [--redis redis://…]
// What does a publish cost that comes with many others? Live videos are created over HTTP, and at once all encoders connect, publish
// and each send two seconds of media in real time. CPU of all processes of the server per publish, from the first connection until all
// have sent, above that of bare Node TLS that reads the same bytes in the same run; then what the end of the broadcasts takes.
// The server is fresh: the first round runs code that is not compiled yet, and no live video was published to before.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { cpuSeconds, median, nextMessage, titleOf } from './lib/measure.mjs';
import { makeCertificate, ours, stop } from './lib/processes.mjs';
import { scratchFolder, subjects } from './lib/subjects.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '150' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    profile: { type: 'string', default: '1080p30' },
    record: { type: 'boolean', default: false },
    redis: { type: 'string' },
  },
});
const [publishers, rounds] = ['publishers', 'rounds'].map((name) => Number(options[name]));
/** What was sent is read and judged by then. */
const SETTLE_MS = 300;
/** After the connections were cut: leases are released, broadcasts end. */
const END_MS = 3_000;
const ROLES = ['ingest', 'store', 'web', 'media'];

if (process.env.AIRLOCK_BENCH_BUILT === undefined) buildIfStale();
content(options.profile);
const scratch = scratchFolder();
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU milliseconds by role; what is no role is the supervisor. */
function look(pids) {
  const taken = new Map();
  for (const pid of pids) {
    const role = ROLES.find((name) => titleOf(pid).startsWith(`airlock-${name}`)) ?? 'supervisor';
    taken.set(role, (taken.get(role) ?? 0) + cpuSeconds(pid) * 1000);
  }
  return taken;
}

const sum = (roles) => [...roles.values()].reduce((total, each) => total + each, 0);
/** Of each publish. */
const between = (before, after) =>
  new Map([...after].map(([role, ms]) => [role, (ms - (before.get(role) ?? 0)) / publishers]));

const load = ours(fork(new URL('./lib/starts-load.mjs', import.meta.url), [options.profile, options.seconds]));
await nextMessage(load, 'ready');

/** Milliseconds of CPU a publish by role: until all are accepted, until all have sent, and after the end. */
async function measured({ pids, start }) {
  const before = look(pids());
  const started = nextMessage(load, 'started');
  const sent = nextMessage(load, 'sent');
  load.send({ start });
  const { ms } = await started;
  const accepted = look(pids());
  await sent;
  await wait(SETTLE_MS);
  const judged = look(pids());
  const cut = nextMessage(load, 'cut');
  load.send({ cut: true });
  await cut;
  await wait(END_MS);
  return {
    ms,
    accepting: sum(between(before, accepted)),
    roles: between(before, judged),
    ending: sum(between(judged, look(pids()))),
  };
}

async function created(server) {
  const lives = [];
  const AT_ONCE = 10;
  while (lives.length < publishers) {
    const next = Array.from({ length: Math.min(AT_ONCE, publishers - lives.length) }, () => server.createLive());
    lives.push(...(await Promise.all(next)));
  }
  return lives.map(({ key }) => key);
}

const floor = await subjects(makeCertificate(scratch)).floor.start({ publishers }, scratch);
const env = { AIRLOCK_RECORD: options.record ? 'on' : 'off' };
if (options.redis !== undefined) env.REDIS_URL = options.redis;
const server = await startAirlock({ scratch, env });
const rows = [];
for (let round = 0; round < rounds; round += 1) {
  const bare = await measured({ pids: floor.carriers, start: { port: floor.port, count: publishers } });
  const keys = await created(server);
  const own = await measured({ pids: server.carriers, start: { port: server.port, keys } });
  rows.push({
    ...own,
    bare: sum(bare.roles),
    airlock: sum(own.roles),
    above: sum(own.roles) - sum(bare.roles),
    acceptingAbove: own.accepting - bare.accepting,
    ending: own.ending - bare.ending,
  });
}
const fixed = (value) => value.toFixed(2);
const rowOf = (name, { bare, airlock, above, ms, acceptingAbove, ending, roles }) => ({
  round: name,
  floor: fixed(bare),
  Airlock: fixed(airlock),
  above: fixed(above),
  ...Object.fromEntries([...roles].map(([role, each]) => [role, fixed(each)])),
  'all accepted, s': fixed(ms / 1000),
  'above by then': fixed(acceptingAbove),
  'the end': fixed(ending),
});
const medianOf = (pick) => median(rows.map(pick));
console.log(
  `${publishers} publishes at once, ${options.seconds} s each, ${options.redis ? 'Redis' : 'LMDB'}: CPU ms a publish`,
);
console.table(rows.map((row, i) => rowOf(String(i + 1), row)));
if (rows.length > 1) {
  const roles = new Map([...rows[0].roles.keys()].map((role) => [role, medianOf((row) => row.roles.get(role))]));
  const names = ['bare', 'airlock', 'above', 'ms', 'acceptingAbove', 'ending'];
  const columns = Object.fromEntries(names.map((name) => [name, medianOf((row) => row[name])]));
  console.table([rowOf('median', { ...columns, roles })]);
}
load.removeAllListeners();
await stop(load);
await floor.stop();
await server.stop();
process.exit(0);

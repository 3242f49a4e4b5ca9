// node bench/starts.mjs [--publishers 150] [--rounds 4] [--profile 1080p30] [--redis redis://…]
// What does a publish cost that comes with many others? All encoders connect at once, publish and send their first frames.
// CPU of each process of the server per publish until a second and a half after the last was accepted, what it is in each second
// after that, and that of bare Node TLS, for the handshake alone, in the same run. The first round runs code that is
// not compiled yet. Each round uses live videos that were never published to.
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
    rounds: { type: 'string', default: '4' },
    profile: { type: 'string', default: '1080p30' },
    redis: { type: 'string' },
  },
});
const [publishers, rounds] = ['publishers', 'rounds'].map((name) => Number(options[name]));
/** After the last publish was accepted: its first frames are judged and its state is stored. */
const SETTLE_MS = 1_500;
const OPEN_MS = 1_000;
/** Between rounds: the leases of the last one are released. */
const PAUSE_MS = 3_000;
const ROLES = ['ingest', 'store', 'web', 'media'];

if (process.env.AIRLOCK_BENCH_BUILT === undefined) buildIfStale();
content(options.profile);
const scratch = scratchFolder();
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU seconds by role; what is no role is the supervisor. */
function look(pids) {
  const taken = new Map();
  for (const pid of pids) {
    const role = ROLES.find((name) => titleOf(pid).startsWith(`airlock-${name}`)) ?? 'supervisor';
    taken.set(role, (taken.get(role) ?? 0) + cpuSeconds(pid));
  }
  return taken;
}

const less = (after, before) => new Map([...after].map(([role, seconds]) => [role, seconds - (before.get(role) ?? 0)]));

const load = ours(fork(new URL('./lib/starts-load.mjs', import.meta.url), [options.profile]));
await nextMessage(load, 'ready');

async function ask(question, answer) {
  const answered = nextMessage(load, answer);
  load.send(question);
  return answered;
}

/** Milliseconds of CPU a publish by role, and how long all of them took. */
async function measured({ pids, start }) {
  const before = look(pids());
  const { ms } = await ask({ start }, 'started');
  await wait(SETTLE_MS);
  const started = look(pids());
  await wait(OPEN_MS);
  const open = less(look(pids()), started);
  await ask({ cut: true }, 'cut');
  await wait(PAUSE_MS);
  const each = [...less(started, before)].map(([role, seconds]) => [role, (seconds * 1000) / publishers]);
  return { ms, roles: new Map(each), open: (sum(open) * 1e6) / publishers / OPEN_MS };
}

const sum = (roles) => [...roles.values()].reduce((total, each) => total + each, 0);

const floor = await subjects(makeCertificate(scratch)).floor.start({ publishers }, scratch);
const env = options.redis === undefined ? {} : { REDIS_URL: options.redis };
const server = await startAirlock({ scratch, publishers: publishers * rounds, env });
const rows = [];
for (let round = 0; round < rounds; round += 1) {
  const bare = await measured({ pids: floor.carriers, start: { port: floor.port, count: publishers } });
  const keys = server.keys.slice(round * publishers, (round + 1) * publishers);
  const own = await measured({ pids: server.carriers, start: { port: server.port, keys } });
  rows.push({ ...own, bare: sum(bare.roles), airlock: sum(own.roles), above: sum(own.roles) - sum(bare.roles) });
}
const fixed = (value) => value.toFixed(2);
const rowOf = (name, { bare, airlock, above, ms, open, roles }) => ({
  round: name,
  floor: fixed(bare),
  Airlock: fixed(airlock),
  above: fixed(above),
  ...Object.fromEntries([...roles].map(([role, each]) => [role, fixed(each)])),
  'all accepted, s': fixed(ms / 1000),
  'each second after': fixed(open),
});
const warm = rows.slice(1);
const medianOf = (pick) => median(warm.map(pick));
console.log(`${publishers} publishes at once, ${options.redis ? 'Redis' : 'LMDB'}: CPU ms a publish`);
console.table(rows.map((row, i) => rowOf(i === 0 ? 'first' : String(i + 1), row)));
if (warm.length > 1) {
  const roles = new Map([...rows[0].roles.keys()].map((role) => [role, medianOf((row) => row.roles.get(role))]));
  const of = (name) => medianOf((row) => row[name]);
  const columns = Object.fromEntries(['bare', 'airlock', 'above', 'ms', 'open'].map((name) => [name, of(name)]));
  console.table([rowOf('median without the first', { ...columns, roles })]);
}
load.removeAllListeners();
await stop(load);
await floor.stop();
await server.stop();
process.exit(0);

// node bench/forwards.mjs [--forwards 10,100] [--publishers 10] [--seconds 10] [--rounds 2] [--profile 720p30]
// What does it cost to pass streams on? The publishers send in real time to Airlock, and beside it to two nginx-rtmp, of which one
// pushes to the same target. In turns Airlock forwards nothing, over plain RTMP, and over TLS; after it a C program encrypts and
// sends as much. CPU is that above the turn without forwards, a gigabyte that left; targets are not counted.
import { execFileSync, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content, PERIOD_MS } from './lib/flv.mjs';
import { startPublishers } from './lib/load.mjs';
import { cpuSeconds, median, memoryOf, nextMessage, titleOf } from './lib/measure.mjs';
import { rtmpBlock, rtmpModule, server, startNginx, streamModule, tlsInFront } from './lib/peers.mjs';
import { freePort, makeCertificate, ours, stop, untilListening } from './lib/processes.mjs';
import { scratchFolder } from './lib/subjects.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values: options } = parseArgs({
  options: {
    forwards: text('10,100'),
    publishers: text('10'),
    seconds: text('10'),
    rounds: text('2'),
    profile: text('720p30'),
  },
});
const [publishers, seconds, rounds] = ['publishers', 'seconds', 'rounds'].map((name) => Number(options[name]));
/** After forwards were switched on or off: connections, and code that is not compiled yet. */
const SETTLE_MS = 5_000;
const WARMUP_MS = 20_000;
/** Until a forward that was switched on sends: the next key frame comes within 2 s. */
const SENDING_MS = 30_000;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sum = (values) => values.reduce((total, value) => total + value, 0);

if (process.env.AIRLOCK_BENCH_BUILT === undefined) buildIfStale();
const media = content(options.profile).filter((tag) => !tag.header);
/** Bytes of media a second of one stream. */
const bytesASecond = (sum(media.map(({ payload }) => payload.length)) * 1000) / PERIOD_MS;
const meanOf = (typeId) => {
  const sizes = media.filter((tag) => tag.typeId === typeId).map(({ payload }) => payload.length);
  return Math.round(sum(sizes) / sizes.length);
};
const scratch = scratchFolder();
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const certificate = makeCertificate(scratch);
const modules = [streamModule(), rtmpModule()];
if (modules.includes(undefined)) throw new Error('nginx with its modules stream and rtmp is needed');
const sender = join(scratch, 'tls-sender');
execFileSync('cc', ['-O2', '-o', sender, join(import.meta.dirname, 'servers', 'tls-sender.c'), '-lssl', '-lcrypto']);
const sink = ours(
  fork(join(import.meta.dirname, 'servers', 'floor.mjs'), [certificate.cert, certificate.key], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  }),
);
const { rtmps: sinkPort } = await nextMessage(sink, 'ports');

/** nginx-rtmp over TLS. `each`: the lines of its applications. */
async function startPeer(applications) {
  const [port, plainPort] = [await freePort(), await freePort()];
  const blocks = [tlsInFront(certificate, port, plainPort), rtmpBlock(plainPort, applications)];
  const child = startNginx(scratch, { modules, blocks });
  await untilListening(port, child);
  await untilListening(plainPort, child);
  return { ...server(port, { publishers }, [child]), plainPort };
}

const cpuOf = ({ carriers }, isWanted = () => true) => sum(carriers().filter(isWanted).map(cpuSeconds));
const isRole = (role) => (pid) => titleOf(pid).startsWith(`airlock-${role}`);

/** CPU of everything of interest. */
const look = ({ airlock, plain, pushing }) => ({
  atMs: performance.now(),
  airlock: cpuOf(airlock),
  forward: cpuOf(airlock, isRole('forward')),
  ingest: cpuOf(airlock, isRole('ingest')),
  push: cpuOf(pushing) - cpuOf(plain),
});

async function during(servers) {
  const before = look(servers);
  await wait(1000 * seconds);
  const after = look(servers);
  const passedS = (after.atMs - before.atMs) / 1000;
  return Object.fromEntries(Object.keys(before).map((name) => [name, (after[name] - before[name]) / passedS]));
}

const applicationsOf = (count, line = () => '') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`live${at}`, line(at)]));

async function measure(forwards) {
  const each = forwards / publishers;
  const target = await startPeer(applicationsOf(each));
  const plain = await startPeer({ live: '' });
  const pushes = Array.from({ length: each }, (_, at) => `push rtmp://127.0.0.1:${target.plainPort}/live${at};`);
  const pushing = await startPeer({ live: pushes.join(' ') });
  const env = {
    AIRLOCK_FORWARDS_MAX: String(2 * forwards),
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
    AIRLOCK_FORWARD_CA: certificate.cert,
  };
  const airlock = await startAirlock({ scratch, publishers, env });
  const { http_url: url, access_token: token } = airlock.quickstart;
  const post = async (path, params) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ ...params, access_token: token }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const sets = { plain: [], tls: [] };
  for (const [i, live] of airlock.lives.entries())
    for (let at = 0; at < each; at++)
      for (const [kind, base] of [
        ['plain', `rtmp://127.0.0.1:${target.plainPort}`],
        ['tls', `rtmps://127.0.0.1:${target.port}`],
      ]) {
        const params = { url: `${base}/live${at}`, stream_key: `${kind}${i}`, enabled: 'false' };
        sets[kind].push((await post(`/${live.id}/forwards`, params)).id);
      }
  const untilSending = async (id) => {
    const endMs = performance.now() + SENDING_MS;
    for (let state = ''; state !== 'sending'; await wait(50)) {
      let reason;
      ({ state, reason } = await (await fetch(`${url}/${id}?access_token=${token}`)).json());
      if (performance.now() > endMs) throw new Error(`a forward is ${state}: ${reason}`);
    }
  };
  const turn = async (kind, isOn) => {
    for (const id of sets[kind]) await post(`/${id}`, { enabled: String(isOn) });
    if (isOn) for (const id of sets[kind]) await untilSending(id);
    await wait(SETTLE_MS);
  };
  const servers = { airlock, plain, pushing };
  const load = { publishers, profile: options.profile, seconds: 3600, warmupSeconds: 1 };
  const loads = await Promise.all([airlock, plain, pushing].map((peer) => startPublishers(peer, load)));
  for (const { go } of loads) go();
  await wait(WARMUP_MS);
  const gigabytes = (forwards * bytesASecond) / 1e9;
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    const first = await during(servers);
    await turn('plain', true);
    const overPlain = await during(servers);
    await turn('plain', false);
    const between = await during(servers);
    await turn('tls', true);
    const overTls = await during(servers);
    const memory = memoryOf(airlock).find(({ role }) => role === 'forward');
    await turn('tls', false);
    const last = await during(servers);
    const args = [sinkPort, forwards, seconds, meanOf(9), meanOf(8)].map(String);
    const sent = JSON.parse(execFileSync(sender, args, { encoding: 'utf8' }));
    const above = (on, name, [before, after]) => (on[name] - (before[name] + after[name]) / 2) / gigabytes;
    const [ofPlain, ofTls] = [
      [first, between],
      [between, last],
    ];
    rows.push({
      'plain, s/GB': above(overPlain, 'airlock', ofPlain),
      'its forward process': above(overPlain, 'forward', ofPlain),
      'nginx push, s/GB': overPlain.push / gigabytes,
      'TLS, s/GB': above(overTls, 'airlock', ofTls),
      'its forward process, TLS': above(overTls, 'forward', ofTls),
      'C over TLS, s/GB': sent.cpu / (sent.bytes / 1e9),
      'ingest, s/GB taken in': above(overPlain, 'ingest', ofPlain) * each,
      'forward process, MB': memory.sharedOnceMb,
    });
  }
  for (const { stop: end } of loads) end();
  await Promise.all([airlock, plain, pushing, target].map((started) => started.stop()));
  return rows;
}

for (const forwards of options.forwards.split(',').map(Number)) {
  const rows = await measure(forwards);
  console.log(`${forwards} forwards of ${publishers} broadcasts, ${options.profile}: medians of ${rows.length} rounds`);
  const of = (name) => median(rows.map((row) => row[name]));
  for (const name of Object.keys(rows[0])) console.log(`  ${name.padEnd(34)}${of(name).toFixed(2).padStart(8)}`);
  const ratio = (name, to) =>
    console.log(`  ${`${name} / ${to}`.padEnd(34)}${(of(name) / of(to)).toFixed(2).padStart(8)}`);
  ratio('plain, s/GB', 'nginx push, s/GB');
  ratio('TLS, s/GB', 'C over TLS, s/GB');
}
await stop(sink);

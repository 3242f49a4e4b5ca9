// Random faults over three servers and ten encoders, by hand: node test/manual/chaos.mjs [--minutes 20] [--seed NUMBER] [--fault TEXT]
//
// Needs Linux, root, iproute2, redis-server with redis-sentinel, haproxy, ffmpeg, and the built server. Each server has a network
// namespace of its own; all share Redis (a master and a replica under Sentinel) and an object storage, and stand behind HAProxy.
// Eight byte-level encoders and two ffmpeg publish to the one address of the balancer. Afterwards it checks that
//   - every record that was pushed to an encoder is found by GET, and the sequences of each broadcast have no gaps
//   - each broadcast has one recording, whose length is what its encoder sent, less at most what was under way at each fault
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

register('../support/typescript-loader.mjs', import.meta.url);
const { ChaosSite } = await import('../support/chaos.ts');
const { ReturningPublisher, readClip } = await import('../support/returning-publisher.ts');
const { ffmpeg, source } = await import('../support/ffmpeg.ts');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    fault: { type: 'string', default: '' },
  },
});
const MINUTES = Number(values.minutes);
const BYTE_LEVEL = 8;
const FFMPEG = 2;
/** What may be lost of a session that a fault ends: under way, or not yet written. */
const LOST_MS = 1_500;
const SURPLUS_MS = 500;
/** All must be well again this long after a fault. */
const WELL_MS = 90_000;

const startedAt = Date.now();
let problems = 0;

function say(text) {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} ${text}\n`);
}

function check(what, holds, shown = '') {
  if (holds) return;
  problems++;
  say(`BAD ${what}: ${shown}`);
}

/** mulberry32: the same faults for the same seed. */
function randomBy(seed) {
  let state = Number(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = randomBy(values.seed);
const among = (list) => list[Math.floor(random() * list.length)];
const between = (low, high) => low + random() * (high - low);

// ---------------------------------------------------------------- faults

const signal = (pids, name) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
};

/** Each takes the site and a server, does harm for a while and mends it. */
const FAULTS = {
  async 'kill -9 of a server'({ server, seconds }) {
    await server.kill('SIGKILL');
    await wait(seconds * 1000);
    await server.restart();
  },
  async 'SIGSTOP of a server'({ server, seconds }) {
    const { pids } = server;
    signal(pids, 'SIGSTOP');
    await wait(seconds * 1000);
    signal(pids, 'SIGCONT');
  },
  async 'SIGSTOP of a server, its encoders leave'({ server, seconds, encoders }) {
    const { pids } = server;
    signal(pids, 'SIGSTOP');
    await wait(1000);
    for (const encoder of encoders) encoder.cut();
    await wait(seconds * 1000);
    signal(pids, 'SIGCONT');
  },
  async 'network of a machine cut'({ machine, seconds }) {
    machine.cut('stores', 'encoders');
    const noticedMs = Math.min(5_000, seconds * 1000);
    await wait(noticedMs);
    say(`  the balancer has ${streamsOf(machine)} streams there after ${(noticedMs / 1000).toFixed(1)} s`);
    await wait(seconds * 1000 - noticedMs);
    machine.heal();
  },
  async 'a machine cut off from Redis'({ machine, seconds }) {
    machine.cut('stores');
    await wait(seconds * 1000);
    machine.heal();
  },
  async 'a machine cut off from Redis, its encoders leave'({ machine, seconds, encoders }) {
    machine.cut('stores');
    await wait(1500);
    for (const encoder of encoders) encoder.cut();
    await wait(seconds * 1000);
    machine.heal();
  },
  async 'kill -9 of the Redis master'({ site, seconds }) {
    const { master } = await site.redis.roles();
    await master.kill();
    await wait(seconds * 1000);
    await master.restart();
  },
  async 'SIGSTOP of the Redis master'({ site, seconds }) {
    const { master } = await site.redis.roles();
    master.freeze();
    await wait(seconds * 1000);
    master.thaw();
  },
  async 'kill -9 of an ingest process'({ server }) {
    signal(server.pidsOf('ingest'), 'SIGKILL');
  },
  async 'kill -9 of a web and a media process'({ server }) {
    signal([...server.pidsOf('web'), ...server.pidsOf('media')], 'SIGKILL');
  },
  async 'SIGTERM of a server'({ server, seconds }) {
    await server.kill('SIGTERM');
    await wait(seconds * 1000);
    await server.restart();
  },
};

// ---------------------------------------------------------------- encoders

async function makeClip(folder) {
  const file = join(folder, 'clip.flv');
  // One key frame interval of 6 s and a mono track: two errors that come again.
  const { code, stderr } = await ffmpeg([
    ...source({ seconds: 20, size: '320x180', videoKbps: 200, realTime: false, keyFrames: 60 }).flatMap((each) =>
      each === '-keyint_min' ? ['-force_key_frames', '0,2,4,6,12,14,16,18', each] : [each],
    ),
    ...['-g', '180', '-ac', '1', '-f', 'flv', file],
  ]);
  if (code !== 0) throw new Error(stderr);
  return file;
}

function startFfmpeg(site, live, file) {
  const url = `rtmps://127.0.0.1:${site.balancer.port}/live/${live.key}`;
  const parameters = [
    ...['-hide_banner', '-v', 'warning', '-nostdin', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy'],
    ...['-f', 'fifo', '-fifo_format', 'flv', '-attempt_recovery', '1', '-recover_any_error', '1'],
    ...['-recovery_wait_time', '0.3', '-drop_pkts_on_overflow', '1', '-restart_with_keyframe', '1'],
    ...['-format_opts', `tls_verify=1:ca_file=${site.authorityFile}:rw_timeout=8000000`, '-map', '0', url],
  ];
  const child = spawn('ffmpeg', parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said = `${said}${bytes}`.slice(-4000);
  });
  return { live, child, said: () => said };
}

async function startEncoders(site, folder) {
  const file = await makeClip(folder);
  const clip = readClip(file);
  const way = {
    port: site.balancer.port,
    authorityFile: site.authorityFile,
    patience: { handshakeMs: 3_000, answerMs: 12_000 },
    connectProperties: { capsEx: 1 },
  };
  const [server] = site.servers;
  const encoders = [];
  for (let at = 0; at < BYTE_LEVEL; at++) {
    const live = await server.createLive();
    const publisher = new ReturningPublisher(server, live.key, clip, way);
    encoders.push({ live, publisher, done: publisher.run() });
  }
  const tools = [];
  for (let at = 0; at < FFMPEG; at++) tools.push(startFfmpeg(site, await server.createLive(), file));
  return { encoders, tools };
}

// ---------------------------------------------------------------- the run

async function until(what, holds, limitMs) {
  const begunAt = Date.now();
  while (!(await holds())) {
    if (Date.now() - begunAt > limitMs) {
      check(what, false, `not within ${limitMs / 1000} s`);
      return false;
    }
    await wait(250);
  }
  return true;
}

/** All servers are ready, Redis is whole, and every encoder sends. */
async function allWell(site, publishers) {
  const ready = await Promise.all(site.servers.map((server) => site.isReady(server)));
  if (!ready.every(Boolean) || !(await site.isRedisWhole())) return false;
  const sessions = publishers.map(({ sessions: all }) => [all.length, all.at(-1)?.sentMs ?? 0]);
  await wait(1000);
  return publishers.every(
    ({ sessions: all }, at) => all.length === sessions[at][0] && (all.at(-1)?.sentMs ?? 0) > sessions[at][1],
  );
}

/** How many streams the balancer sends to a machine. */
function streamsOf({ address }) {
  const { stdout } = spawnSync('ss', ['-tnH', 'state', 'established', 'dst', `${address}:1936`], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).length;
}

/** Mostly one that receives streams. */
function chooseMachine({ network: { machines } }) {
  const busy = machines.filter((machine) => streamsOf(machine) > 0);
  return machines.indexOf(among(busy.length > 0 && random() < 0.85 ? busy : machines));
}

async function runFaults(site, publishers) {
  const endsAt = Date.now() + MINUTES * 60_000;
  const counts = {};
  const gaps = {};
  while (Date.now() < endsAt) {
    const name = among(Object.keys(FAULTS).filter((each) => each.includes(values.fault)));
    const at = chooseMachine(site);
    const streams = streamsOf(site.network.machines[at]);
    const seconds = between(2, 12);
    const before = publishers.map(({ sessions }) => sessions.length);
    for (const publisher of publishers) publisher.mark();
    say(`${name}: machine ${at + 1} with ${streams} streams, ${seconds.toFixed(1)} s`);
    const parts = { site, server: site.servers[at], machine: site.network.machines[at], seconds, encoders: publishers };
    await FAULTS[name](parts);
    counts[name] = (counts[name] ?? 0) + 1;
    await until(`well again after ${name}`, () => allWell(site, publishers), WELL_MS);
    for (const publisher of publishers) publisher.unmark();
    const returned = publishers.flatMap(({ sessions }, each) => sessions.slice(before[each]).map(({ gapMs }) => gapMs));
    gaps[name] = [...(gaps[name] ?? []), ...returned];
    say(`  returned: ${returned.map((gap) => (gap / 1000).toFixed(1)).join(' ') || 'none had to'}`);
    await wait(between(3, 10) * 1000);
  }
  return { counts, gaps };
}

async function verify(site, { encoders, tools }) {
  const [server] = site.servers;
  for (const { live } of [...encoders, ...tools]) {
    await until(
      `end of ${live.id}`,
      async () => !(await server.post(`/${live.id}`, { end_live_video: 'true' })).error,
      30_000,
    );
  }
  for (const { live, publisher } of encoders) {
    const rows = await allErrors(server, live.id);
    const ids = new Set(rows.map(({ id }) => id));
    const missing = [...publisher.pushed].filter((id) => !ids.has(id));
    check(
      `records of ${live.id}`,
      missing.length === 0,
      `${missing.length} of ${publisher.pushed.size} are missing: ${missing}`,
    );
    check(`IDs of ${live.id}`, ids.size === rows.length, `${rows.length} records, ${ids.size} IDs`);
    checkSequences(live.id, rows);
    await checkLength(server, live.id, publisher.sessions);
  }
  for (const { live } of tools) {
    checkSequences(live.id, await allErrors(server, live.id));
    const found = await recorded(server, live.id, () => true);
    say(`  ffmpeg ${live.id}: ${found?.video?.length} s recorded`);
  }
  const { data = [] } = await server.get(`/${server.quickstart.page_id}/videos`, { limit: '100', fields: 'id' });
  check('one recording for each broadcast', data.length === encoders.length + tools.length, `${data.length} videos`);
}

function checkSequences(id, rows) {
  const sequences = rows.map(({ sequence }) => sequence).sort((a, b) => a - b);
  check(
    `sequences of ${id}`,
    sequences.every((sequence, at) => sequence === at + 1),
    sequences.join(' '),
  );
  const codes = {};
  for (const { error_code: code } of rows) codes[code] = (codes[code] ?? 0) + 1;
  say(`  ${id}: ${rows.length} records, ${JSON.stringify(codes)}`);
}

async function allErrors(server, id) {
  const rows = [];
  for (let after; ; ) {
    const body = await server.get(`/${id}/errors`, { limit: '100', ...(after === undefined ? {} : { after }) });
    rows.push(...(body.data ?? []));
    after = body.paging?.next === undefined ? undefined : body.paging?.cursors?.after;
    if (after === undefined) return rows;
  }
}

async function recorded(server, id, isLongEnough) {
  let found;
  const limitMs = 240_000;
  for (const begunAt = Date.now(); Date.now() - begunAt < limitMs; await wait(1000)) {
    found = await server.get(`/${id}`, { fields: 'status,video{length,source}' });
    if (found.status === 'VOD' && isLongEnough(found.video?.length ?? 0)) return found;
  }
  return found;
}

async function checkLength(server, id, sessions) {
  const most = sessions.reduce((sum, { sentMs }) => sum + sentMs + SURPLUS_MS, 0) / 1000;
  const least =
    sessions.reduce(
      (sum, { sentMs, markedMs, wasStopped }) =>
        sum + (wasStopped ? sentMs : Math.max(0, (markedMs ?? sentMs) - LOST_MS)),
      0,
    ) / 1000;
  const found = await recorded(server, id, (length) => length >= least);
  const length = found?.video?.length ?? 0;
  const shown = `${length} s recorded; sent ${least.toFixed(1)} to ${most.toFixed(1)} s in ${sessions.length} sessions`;
  check(`recording of ${id}`, length >= least && length <= most, `${shown}, ${found?.status}`);
  say(`  ${id}: ${shown}`);
}

function summarize({ counts, gaps }, publishers) {
  for (const [name, count] of Object.entries(counts)) {
    const sorted = (gaps[name] ?? []).sort((a, b) => a - b);
    const seconds = (part) => ((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) / 1000).toFixed(1);
    say(
      `${name}: ${count} times, ${sorted.length} sessions ended; gap ${seconds(0.5)} s median, ${seconds(1)} s at most`,
    );
  }
  const failures = {};
  for (const text of publishers.flatMap((publisher) => publisher.failures)) {
    const brief = text.slice(0, 110);
    failures[brief] = (failures[brief] ?? 0) + 1;
  }
  for (const [text, count] of Object.entries(failures)) say(`not accepted ${count} times: ${text}`);
}

const folder = mkdtempSync(join(tmpdir(), 'airlock-chaos-clip-'));
say(`seed ${values.seed}, ${MINUTES} minutes`);
const site = await ChaosSite.start(3, {
  AIRLOCK_RECONNECT_GRACE_S: '300',
  AIRLOCK_DRAIN_S: '2',
  AIRLOCK_LOG_LEVEL: 'info',
});
const keepLogs = () => {
  for (const [at, server] of site.servers.entries()) {
    writeFileSync(join(tmpdir(), `airlock-chaos-${at + 1}.log`), server.log);
  }
};
for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, () => {
    keepLogs();
    void site.stop().then(() => process.exit(1));
  });
}
try {
  const running = await startEncoders(site, folder);
  const publishers = running.encoders.map(({ publisher }) => publisher);
  await until('all encoders send', () => allWell(site, publishers), WELL_MS);
  const log = await runFaults(site, publishers);
  // The last fault may still end a session.
  await wait(20_000);
  await until('all encoders send', () => allWell(site, publishers), WELL_MS);
  for (const publisher of publishers) publisher.stop();
  for (const { child } of running.tools) child.kill('SIGINT');
  await Promise.all(running.encoders.map(({ done }) => done));
  summarize(log, publishers);
  await verify(site, running);
} finally {
  keepLogs();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
}
say(problems === 0 ? 'all as it should be' : `${problems} not as they should be`);
process.exitCode = problems === 0 ? 0 : 1;

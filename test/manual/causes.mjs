// Causes on real sockets, by hand: node test/manual/causes.mjs [NAME…]
//
// Needs Linux with cgroups, root, ip, tc, nft, ffmpeg, GStreamer, OBS with Xvfb for the trials of OBS, and the built server.
// Each sender runs in a network namespace, first 30 s without disturbance: no cause. Then the right one is due within 15 s.
// On a busy machine run it with `nice -n -10`.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HOST_ADDRESS, Link } from './link.mjs';
import { closeScreen, Obs, openScreen } from './obs-studio.mjs';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');
const { descendantsOf } = await import('../support/process-tree.ts');

const STEADY_MS = 30_000;
const WITHIN_S = 15;
const folder = mkdtempSync(join(tmpdir(), 'airlock-causes-'));
const file = join(folder, 'sent.flv');
const clip = join(folder, 'clip.mp4');
const link = new Link();
let failures = 0;

const nothing = () => undefined;

function check(what, holds, shown) {
  if (!holds) failures++;
  process.stdout.write(`  ${holds ? 'ok ' : 'BAD'} ${what}: ${shown}\n`);
}

const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30'];
const sound = ['-f', 'lavfi', '-i', 'sine=r=48000'];
const rates = ['-b:v', '700k', '-maxrate', '700k', '-bufsize', '700k', '-g', '60', '-pix_fmt', 'yuv420p'];
const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', ...rates, '-c:a', 'aac', '-b:a', '128k', '-ac', '2'];

/** Runs in the namespace; `kill` ends it. */
function start(...command) {
  const [program, ...parameters] = [...link.within, ...command];
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  return { pid: child.pid, kill: () => process.kill(-child.pid, 'SIGKILL') };
}

const sendFile = ({ url }) =>
  start('ffmpeg', '-v', 'error', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy', '-f', 'flv', url);

/** A source that stamps by the clock, and an encoder behind it. */
const sendSource = ({ url }) =>
  start(
    'sh',
    '-c',
    `ffmpeg -v quiet ${[...picture, ...sound].join(' ')} -filter_complex '[0:v]realtime[v];[1:a]arealtime[a]' -map '[v]' -map '[a]' \
-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le -f nut - | \
ffmpeg -v error -use_wallclock_as_timestamps 1 -i - ${encoded.join(' ')} -vsync passthrough -f flv ${url}`,
  );

const sendLive = ({ url }) =>
  start(
    'gst-launch-1.0',
    ...`-q videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 !
      queue leaky=downstream max-size-buffers=3 ! x264enc bitrate=700 key-int-max=60 speed-preset=medium threads=1
      tune=zerolatency ! h264parse ! queue ! mux. audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 !
      voaacenc bitrate=128000 ! queue ! mux. flvmux name=mux streamable=true ! rtmp2sink location=${url}`.split(/\s+/),
  );

const sendObs = async ({ airlock, url }, isDynamic) => {
  const obs = await Obs.start(airlock, { url, clip, isDynamic, within: link.within });
  return { pid: obs.child.pid, kill: () => obs.quit() };
};

const family = (pid) => [pid, ...descendantsOf(pid)];

async function stopFor(seconds, pids) {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await wait(seconds * 1000);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** A share of one processor, in percent, for a process and its children (cgroups, version 1). */
function starve(pid, percent, periodMs) {
  const group = '/sys/fs/cgroup/cpu/airlock-causes';
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMs * 1000));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(percent * periodMs * 10));
  for (const one of family(pid)) writeFileSync(join(group, 'cgroup.procs'), String(one));
}

/** Ends the starvation. */
function feed() {
  const quota = '/sys/fs/cgroup/cpu/airlock-causes/cpu.cfs_quota_us';
  if (existsSync(quota)) writeFileSync(quota, '-1');
}

function losing(percent, causes) {
  return { send: sendFile, disturb: () => link.lose(percent), causes };
}

/** What is sent, what disturbs it, which causes are right, which must come last (the first will do
 * without), and whether none need be named. */
const TRIALS = {
  narrow: { send: sendFile, disturb: () => link.narrow(600), causes: [6902] },
  'narrow-drops': { send: sendFile, disturb: () => link.narrow(600, 30), causes: [6902] },
  ...Object.fromEntries([10, 15, 20, 25].map((percent) => [`loss-${percent}`, losing(percent, [6901])])),
  // TCP makes up for most of these within 200 ms: the stream is as good as before.
  ...Object.fromEntries([2, 5].map((percent) => [`loss-${percent}`, { ...losing(percent, [6901]), isOptional: true }])),
  outage: {
    send: sendFile,
    disturb: async () => {
      link.down();
      await wait(6000);
      link.up();
    },
    causes: [6901],
  },
  'sender-stopped': { send: sendFile, disturb: ({ pid }) => stopFor(6, family(pid)), causes: [6901] },
  'source-stopped': {
    send: sendSource,
    disturb: ({ pid }) => stopFor(4, descendantsOf(pid).slice(0, 1)),
    causes: [6907],
  },
  'server-stopped': { send: sendFile, disturb: (_sender, { airlock }) => stopFor(6, airlock.pids), causes: [6908] },
  'ingest-stopped': {
    send: sendFile,
    // Its supervisor replaces it after 5 s.
    disturb: (_sender, { airlock }) => stopFor(4, airlock.pidsOf('ingest')),
    causes: [6908],
  },
  'ingest-starved': {
    send: sendFile,
    disturb: (_sender, { airlock }) => starve(airlock.pidOf('ingest'), Number(process.env.SHARE ?? 0.2), 1000),
    causes: [6908],
  },
  'encoder-starved': {
    send: sendLive,
    disturb: ({ pid }) => starve(pid, Number(process.env.SHARE ?? 10), 100),
    causes: [6905],
  },
  'obs-drops': {
    send: (place) => sendObs(place, false),
    disturb: () => link.narrow(550),
    // The link is too small until OBS drops frames.
    causes: [6902, 6903],
    last: 6903,
    isObs: true,
  },
  'obs-loss': { send: (place) => sendObs(place, false), disturb: () => link.lose(20), causes: [6901], isObs: true },
  'obs-lowers': {
    send: (place) => sendObs(place, true),
    disturb: () => link.narrow(600),
    causes: [6902, 6904],
    last: 6904,
    isObs: true,
  },
};

async function attempt(name, airlock, plainPort, { send, disturb, causes, last, isOptional = false }) {
  const live = await airlock.createLive({ title: name });
  const url = new URL(live.url);
  url.protocol = 'rtmp:';
  url.host = `${HOST_ADDRESS}:${plainPort}`;
  const place = { airlock, url: url.href };
  const sender = await send(place);
  const found = async () => (await airlock.causes(live.id)).reverse();
  try {
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'ingest_streams' }),
      ({ ingest_streams }) => ingest_streams?.[0]?.stream_health !== undefined,
    );
    await wait(STEADY_MS);
    const before = await found();
    check(`${name}: nothing before`, before.length === 0, before.map(({ description }) => description).join(' '));
    const fromMs = Date.now();
    await disturb(sender, place);
    const sinceMs = ['outage', 'stopped'].some((word) => name.includes(word)) ? Date.now() : fromMs;
    const after = async () => (await found()).slice(before.length);
    const isDone = (rows) => rows.some(({ error_code }) => last === undefined || error_code === last);
    while (!isDone(await after()) && Date.now() < sinceMs + 3 * WITHIN_S * 1000) await wait(250);
    // Others that follow would be wrong, but for those of another kind of the same disturbance.
    await wait(10_000);
    const rows = await after();
    const delays = rows.map(({ timestamp }) => (Date.parse(timestamp) - sinceMs) / 1000);
    rows.forEach(({ description }, i) => {
      process.stdout.write(`      ${delays[i].toFixed(1)} s ${description}\n`);
    });
    const isNamed = isOptional || (isDone(rows) && delays[0] <= WITHIN_S);
    const isRight = rows.every(({ error_code }) => causes.includes(error_code));
    check(name, isNamed && isRight, rows.map(({ error_code }) => error_code).join(' '));
    const others = (await airlock.errors(live.id)).filter(({ cause }) => cause !== undefined && cause !== null);
    for (const { description } of others) process.stdout.write(`      explains: ${description}\n`);
  } finally {
    link.restore();
    feed();
    await sender.kill();
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function main(names) {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, '-t', '20', ...encoded, file]);
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', file, '-c', 'copy', clip]);
  const plainPort = await freePort();
  const settings = { AIRLOCK_HOST: '0.0.0.0', AIRLOCK_RTMP_PORT: String(plainPort), AIRLOCK_HTTP_INSECURE: 'on' };
  const airlock = await Airlock.start({ ...settings, AIRLOCK_QUICKSTART: 'on', AIRLOCK_RECORD: 'off' });
  try {
    for (const name of names) await attempt(name, airlock, plainPort, TRIALS[name]);
  } finally {
    await airlock.stop();
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TRIALS);
const hasObs = names.some((name) => TRIALS[name].isObs);
link.open();
if (hasObs) openScreen();
try {
  await main(names);
} finally {
  link.close();
  if (hasObs) closeScreen();
  rmSync(folder, { recursive: true, force: true });
  try {
    rmdirSync('/sys/fs/cgroup/cpu/airlock-causes');
  } catch {
    nothing();
  }
}
process.exitCode = failures === 0 ? 0 : 1;

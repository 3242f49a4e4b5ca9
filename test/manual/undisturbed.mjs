// Undisturbed streams name no cause, by hand: node test/manual/undisturbed.mjs [--loops N] [--many N] [MINUTES [FILE…]]
//
// Needs ffmpeg, GStreamer, and the built server. Three senders: ffmpeg with a file in a loop, ffmpeg with x264 in real time, and
// GStreamer with live sources. With files, these and the first are sent, each in a loop. `--loops` sends the first N times and no
// other; `--many` adds N streams of the bench's generator.
// On a busy machine run it with `nice -n -10`: what it delays is named, rightly. How long a process of the server or of a sender
// waited for a processor is printed with each look.
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { content } from '../../bench/lib/flv.mjs';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

const { values: options, positionals } = parseArgs({
  options: { loops: { type: 'string', default: '1' }, many: { type: 'string', default: '0' } },
  allowPositionals: true,
});
const loops = Number(options.loops);
const many = Number(options.many);
const minutes = Number(positionals[0] ?? 20);
const files = positionals.slice(1);
/** A processor that was wanted for so long in a second explains a cause. */
const WAITED_MS = 100;
const folder = mkdtempSync(join(tmpdir(), 'airlock-undisturbed-'));
const file = join(folder, 'sent.flv');
const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30'];
const sound = ['-f', 'lavfi', '-i', 'sine=r=48000'];
const rates = ['-b:v', '700k', '-maxrate', '700k', '-bufsize', '700k', '-g', '60', '-pix_fmt', 'yuv420p'];
const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', ...rates, '-c:a', 'aac', '-b:a', '128k', '-ac', '2'];

/** Program and parameters of a sender. */
const looped = (path) => (url) => [
  'ffmpeg',
  ['-v', 'error', '-re', '-stream_loop', '-1', '-i', path, '-c', 'copy', '-f', 'flv', url],
];
const LOOPS = Object.fromEntries(Array.from({ length: loops }, (_, n) => [`loop ${n + 1}`, looped(file)]));

const ENCODED = {
  live: (url) => ['ffmpeg', ['-v', 'error', '-re', ...picture, ...sound, ...encoded, '-f', 'flv', url]],
  gstreamer: (url) => [
    'gst-launch-1.0',
    `-q videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! x264enc bitrate=700
      key-int-max=60 speed-preset=ultrafast tune=zerolatency ! h264parse ! queue ! mux. audiotestsrc is-live=true wave=ticks !
      audio/x-raw,rate=48000,channels=2 ! voaacenc bitrate=128000 ! queue ! mux. flvmux name=mux streamable=true !
      rtmp2sink location=${url} tls-validation-flags=0`.split(/\s+/),
  ],
};

const GIVEN = Object.fromEntries(files.map((path) => [basename(path), looped(path)]));
const OTHERS = files.length > 0 ? GIVEN : ENCODED;
const SENDERS = { ...LOOPS, ...(loops > 1 ? {} : OTHERS) };

/** Milliseconds that a process was runnable without a processor, since it began; all its threads. */
function waitedMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The longest wait of each process within one second, as a line of text, since the last call. */
class Waits {
  #before = new Map();
  #longest = new Map();
  #timer = setInterval(() => this.#look(), 1000);
  #processes;

  /** `processes`: process id by name. */
  constructor(processes) {
    this.#processes = processes;
  }

  #look() {
    for (const [name, pid] of Object.entries(this.#processes)) {
      const now = waitedMs(pid);
      const ms = now - (this.#before.get(name) ?? now);
      this.#before.set(name, now);
      if (ms >= WAITED_MS && ms > (this.#longest.get(name)?.ms ?? 0)) this.#longest.set(name, { ms, at: new Date() });
    }
  }

  take() {
    const lines = [...this.#longest].map(
      ([name, { ms, at }]) => `${name} ${ms.toFixed(0)} ms at ${at.toISOString().slice(11, 19)}`,
    );
    this.#longest.clear();
    return lines.join(', ') || 'nothing waited 100 ms in a second';
  }

  stop() {
    clearInterval(this.#timer);
  }
}

/** Streams of one process, in real time. */
async function startMany(airlock) {
  content('360p30');
  const lives = [];
  for (let n = 0; n < many; n++) lives.push(await airlock.createLive({ title: `generated ${n + 1}` }));
  const load = {
    port: airlock.quickstart.rtmps_port,
    keys: lives.map(({ key }) => key),
    publishers: many,
    mode: 'paced',
    seconds: minutes * 60 + 60,
    warmupSeconds: 0,
    recordBytes: 4096,
    profile: '360p30',
    phases: 25,
  };
  const child = fork(new URL('../../bench/lib/publishers.mjs', import.meta.url), [JSON.stringify(load)]);
  await new Promise((resolve) => child.once('message', resolve));
  child.send('go');
  return lives.map(({ id }, n) => ({ name: `generated ${n + 1}`, id, child }));
}

async function main() {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, '-t', '30', ...encoded, file]);
  const airlock = await Airlock.start({ AIRLOCK_RECORD: 'off', AIRLOCK_OWNER_MAX_PUBLISHERS: '0' });
  const streams = [];
  const senders = {};
  let waits;
  try {
    for (const [name, sender] of Object.entries(SENDERS)) {
      const live = await airlock.createLive({ title: name });
      const [program, parameters] = sender(live.url);
      const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
      streams.push({ name, id: live.id, child });
      senders[name] = child.pid;
    }
    if (many > 0) {
      streams.push(...(await startMany(airlock)));
      senders.generator = streams.at(-1).child.pid;
    }
    waits = new Waits({ ingest: airlock.pidOf('ingest'), store: airlock.pidOf('store'), ...senders });
    await look(airlock, streams, waits);
    for (const { name, id } of streams) {
      const causes = await airlock.causes(id);
      for (const { description, timestamp } of causes)
        process.stdout.write(`BAD ${name}: ${timestamp} ${description}\n`);
      if (causes.length > 0) process.exitCode = 1;
    }
  } finally {
    waits?.stop();
    for (const { child } of streams) child.kill('SIGKILL');
    await airlock.stop();
  }
}

async function look(airlock, streams, waits) {
  const shown = new Map();
  const endMs = Date.now() + minutes * 60_000;
  while (Date.now() < endMs) {
    await wait(Math.min(60_000, endMs - Date.now()));
    let quiet = 0;
    for (const { name, id, child } of streams) {
      const rows = [...(await airlock.causes(id)), ...(await airlock.errors(id))];
      const found = rows.map((row) => `${row.error_type} x${row.count} at ${row.stream_time_ms} ms, ${row.timestamp}`);
      const state = child.exitCode === null ? '' : ' ENDED';
      const line = `${name}${state}: ${found.join(', ') || 'nothing'}`;
      if (found.length === 0 && state === '') quiet++;
      else if (shown.get(id) !== line) process.stdout.write(`  ${line}\n`);
      shown.set(id, line);
    }
    const time = new Date().toISOString().slice(11, 19);
    const load = `load ${loadavg()[0].toFixed(1)}`;
    process.stdout.write(`${time} ${load}; nothing named for ${quiet} of ${streams.length}; waits: ${waits.take()}\n`);
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

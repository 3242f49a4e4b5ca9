// Undisturbed streams name no cause, by hand: node test/manual/undisturbed.mjs [MINUTES [FILE…]]
//
// Needs ffmpeg, GStreamer, and the built server. Three senders: ffmpeg with a file in a loop, ffmpeg with x264 in real time, and
// GStreamer with live sources. With files, these and the first are sent, each in a loop. On a busy machine run it with `nice -n -10`: what it delays is named, rightly.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');

const minutes = Number(process.argv[2] ?? 20);
const files = process.argv.slice(3);
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
const LOOP = { loop: looped(file) };

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
const SENDERS = { ...LOOP, ...(files.length > 0 ? GIVEN : ENCODED) };

async function main() {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, '-t', '30', ...encoded, file]);
  const airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
  const streams = [];
  try {
    for (const [name, sender] of Object.entries(SENDERS)) {
      const live = await airlock.createLive({ title: name });
      const [program, parameters] = sender(live.url);
      streams.push({
        name,
        id: live.id,
        child: spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] }),
      });
    }
    const endMs = Date.now() + minutes * 60_000;
    while (Date.now() < endMs) {
      await wait(Math.min(60_000, endMs - Date.now()));
      for (const { name, id, child } of streams) {
        const rows = [...(await airlock.causes(id)), ...(await airlock.errors(id))];
        const found = rows.map(({ error_type, stream_time_ms }) => `${error_type} at ${stream_time_ms} ms`);
        const state = child.exitCode === null ? '' : ' ENDED';
        process.stdout.write(`load ${loadavg()[0].toFixed(1)} ${name}${state}: ${found.join(', ') || 'nothing'}\n`);
      }
    }
    for (const { name, id } of streams) {
      const causes = await airlock.causes(id);
      for (const { description, timestamp } of causes)
        process.stdout.write(`BAD ${name}: ${timestamp} ${description}\n`);
      if (causes.length > 0) process.exitCode = 1;
    }
  } finally {
    for (const { child } of streams) child.kill('SIGKILL');
    await airlock.stop();
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Time from the first sound of a song in a running broadcast until its record can be read by GET: server, RTMPS and all. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Airlock } from '../../test/support/airlock.js';
import { SOUND_RATE, song, talk } from '../../test/support/sounds.js';

const SONGS = 4;
const SONG_S = 90;
/** Of the song in each stream. */
const PLAYED_S = 40;
const WAIT_MS = 60_000;
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10', '-shortest'];
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-b:v', '300k'];
const AUDIO = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bytesAt = (s) => 2 * Math.floor(s * SOUND_RATE);

/** `together`: broadcasts at a time. */
export async function delay(runs = 12, together = 3) {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-delay-'));
  const airlock = await Airlock.start();
  try {
    const songs = Array.from({ length: SONGS }, (_, at) => song(300 + at, SONG_S));
    await refer(airlock, folder, songs);
    const delays = [];
    for (let from = 0; from < runs; from += together) {
      const some = Array.from({ length: Math.min(together, runs - from) }, (_, at) => from + at);
      delays.push(...(await Promise.all(some.map((run) => measured(airlock, folder, songs, run)))));
    }
    print(delays);
  } finally {
    await airlock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each song is a reference of another Page. */
async function refer(airlock, folder, songs) {
  const user = airlock.quickstart.user_id;
  const env = { ...process.env, AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const add = ['dist/main.js', 'owner', 'add', 'page', 'Label', '--manager', user, '--format', 'json'];
  const { id: page } = JSON.parse(spawnSync(process.execPath, add, { env }).stdout);
  for (const [at, pcm] of songs.entries()) {
    const path = join(folder, `${at}.mp4`);
    encode(pcm, path);
    const form = new FormData();
    form.set('source', new Blob([readFileSync(path)]), 'song.mp4');
    const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
    const url = new URL(`/${page}/videos`, airlock.quickstart.http_url);
    const { id } = await (await fetch(url, { method: 'POST', body: form, headers })).json();
    await airlock.post(`/${page}/copyright_references`, { video_id: id });
  }
  await airlock.until(
    () => airlock.get(`/${page}/copyright_references`),
    ({ data }) => data.length === SONGS && data.every(({ status }) => status === 'complete'),
  );
}

function encode(pcm, path) {
  const args = ['-v', 'error', '-y', ...PCM, '-i', 'pipe:0', ...PICTURE, ...VIDEO, ...AUDIO, path];
  const { status, stderr } = spawnSync('ffmpeg', args, { input: pcm });
  if (status !== 0) throw new Error(String(stderr));
}

/** Talk, then a song from somewhere in its middle: both lengths differ from run to run. */
async function measured(airlock, folder, songs, run) {
  const talkS = 8 + ((run * 1.37) % 5.3);
  const fromS = 5 + ((run * 7.9) % (SONG_S - PLAYED_S - 5));
  const path = join(folder, `run-${run}.flv`);
  const pcm = songs[run % SONGS].subarray(bytesAt(fromS), bytesAt(fromS + PLAYED_S));
  encode(Buffer.concat([talk(run + 50, talkS), pcm]), path);
  const live = await airlock.createLive();
  const stream = streamed(path, live.url, airlock.authorityFile);
  const endMs = Date.now() + WAIT_MS + 1000 * talkS;
  for (;;) {
    const [row] = await airlock.errors(live.id, { error_code: '6602' });
    const atMs = Date.now();
    if (row !== undefined || atMs > endMs) {
      stream.child.kill('SIGKILL');
      const delayS = row === undefined ? undefined : (atMs - stream.startMs()) / 1000 - talkS;
      console.log(`run ${run}: talk ${talkS.toFixed(2)} s, delay ${delayS?.toFixed(1) ?? 'not found'} s`);
      return delayS;
    }
    await wait(100);
  }
}

/** In real time. `startMs`: when the first packet was sent, by the progress that ffmpeg reports. */
function streamed(path, url, ca) {
  const secure = ['-ca_file', ca, '-tls_verify', '1', '-f', 'flv', url];
  const args = [
    '-v',
    'error',
    '-progress',
    'pipe:1',
    '-stats_period',
    '0.1',
    '-re',
    '-i',
    path,
    '-c',
    'copy',
    ...secure,
  ];
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let startMs = Number.POSITIVE_INFINITY;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const us = Number(/^out_time_us=(\d+)/.exec(line)?.[1]);
    if (us > 0) startMs = Math.min(startMs, Date.now() - us / 1000);
  });
  return { child, startMs: () => startMs };
}

function print(delays) {
  const found = delays.filter((each) => each !== undefined).sort((a, b) => a - b);
  const at = (part) => found[Math.min(found.length - 1, Math.floor(part * found.length))]?.toFixed(1);
  console.log(
    `found ${found.length} of ${delays.length}; delay in s: least ${at(0)}, median ${at(0.5)}, most ${at(1)}`,
  );
  console.log(found.map((each) => each.toFixed(1)).join(' '));
}

/** Many real broadcasts over RTMPS at once, of many owners: the metrics of the detector, and what it finds. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Airlock } from '../../test/support/airlock.js';
import { SOUND_RATE, song, talk } from '../../test/support/sounds.js';

const TALK_S = 12;
const LOOK_MS = 10_000;
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1', '-i', 'pipe:0'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10', '-shortest'];
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-b:v', '100k'];
const AUDIO = ['-c:a', 'aac', '-b:a', '64k', '-ac', '2', '-ar', '48000'];

function encode(folder, pcm, name) {
  const path = join(folder, name);
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...PCM, ...PICTURE, ...VIDEO, ...AUDIO, path], {
    input: pcm,
  });
  if (status !== 0) throw new Error(String(stderr));
  return path;
}

async function addPage({ folder, quickstart }, name) {
  const env = { ...process.env, AIRLOCK_DATA_DIR: join(folder, 'data') };
  const args = ['dist/main.js', 'owner', 'add', 'page', name, '--manager', quickstart.user_id, '--format', 'json'];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout).id;
}

async function refer(airlock, path) {
  const { quickstart } = airlock;
  const page = await addPage(airlock, 'Label');
  const form = new FormData();
  form.set('source', new Blob([readFileSync(path)]), 'song.mp4');
  const headers = { authorization: `Bearer ${quickstart.access_token}` };
  const url = new URL(`/${page}/videos`, quickstart.http_url);
  const { id } = await (await fetch(url, { method: 'POST', body: form, headers })).json();
  await airlock.post(`/${page}/copyright_references`, { video_id: id });
  await airlock.until(
    () => airlock.get(`/${page}/copyright_references`),
    ({ data }) => data[0]?.status === 'complete',
  );
}

/** The metrics of the detector, without the zeros. */
async function metrics({ quickstart }) {
  const text = await (await fetch(new URL('/metrics', quickstart.http_url))).text();
  const lines = text.split('\n').filter((line) => line.startsWith('airlock_copyright_') && !line.endsWith(' 0'));
  return lines.map((line) => line.replace('airlock_copyright_', '')).join(', ');
}

/** One in four has the song of a reference after its talk; the others have talk and other songs. */
export async function load(broadcasts = 80, owners = 40, seconds = 90) {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-copyright-load-'));
  const airlock = await Airlock.start();
  const children = [];
  try {
    const known = song(301, seconds);
    await refer(airlock, encode(folder, known, 'song.mp4'));
    const withSong = encode(folder, Buffer.concat([talk(51, TALK_S), known]), 'known.flv');
    const others = [1, 2, 3].map((n) =>
      encode(folder, Buffer.concat([talk(51 + n, TALK_S), song(400 + n, seconds)]), `other-${n}.flv`),
    );
    const pages = [];
    for (let n = 0; n < owners; n++) pages.push(await addPage(airlock, `Owner ${n}`));
    const lives = [];
    for (let n = 0; n < broadcasts; n++) {
      const { body } = await airlock.request('POST', `/${pages[n % owners]}/live_videos`, { status: 'LIVE_NOW' });
      const path = n % 4 === 0 ? withSong : others[(n % 4) - 1];
      const to = ['-ca_file', airlock.authorityFile, '-tls_verify', '1', '-f', 'flv', body.secure_stream_url];
      children.push(spawn('ffmpeg', ['-v', 'error', '-re', '-i', path, '-c', 'copy', ...to], { stdio: 'ignore' }));
      lives.push({ id: body.id, isKnown: n % 4 === 0, startMs: Date.now(), foundS: undefined });
    }
    const endMs = Date.now() + 1_000 * (seconds + TALK_S);
    while (Date.now() < endMs) {
      await wait(LOOK_MS);
      for (const live of lives.filter(({ foundS }) => foundS === undefined)) {
        const [row] = await airlock.errors(live.id, { error_code: '6602' });
        if (row !== undefined) live.foundS = (Date.parse(row.timestamp) - live.startMs) / 1_000 - TALK_S;
      }
      console.log(`load ${loadavg()[0].toFixed(1)}: ${await metrics(airlock)}`);
    }
    const right = lives.filter(({ isKnown, foundS }) => isKnown && foundS !== undefined).map(({ foundS }) => foundS);
    const wrong = lives.filter(({ isKnown, foundS }) => !isKnown && foundS !== undefined).length;
    right.sort((a, b) => a - b);
    console.log(
      `${broadcasts} broadcasts of ${owners} owners: found ${right.length} of ${Math.ceil(broadcasts / 4)}, wrong ${wrong}`,
    );
    console.log(
      `seconds from the start of the sender, without the talk: ${right.map((each) => each.toFixed(1)).join(' ')}`,
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await airlock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

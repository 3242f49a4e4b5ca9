/** Copyright references against running broadcasts: what the encoder, the operator and the owners get. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { ffmpeg, over, start } from '../support/ffmpeg.js';
import { folderOfFile } from '../support/folders.js';
import { SOUND_RATE, song, talk } from '../support/sounds.js';

const folder = folderOfFile('airlock-copyright-');
const file = (name: string): string => join(folder, name);
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1'];
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', '-b:v', '300k'];
const AUDIO = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '48000'];
const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10'];

let airlock: Airlock;
/** The Page whose songs are references. The quickstart Page streams them. */
let label: string;
const songs: Record<string, string> = {};

beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_COPYRIGHT_BLOCK: 'on' });
  const page = await admin('owner', 'add', 'page', 'Label', '--manager', airlock.quickstart.user_id);
  label = page.id;
  await Promise.all([makeSong('monitored', 21), makeSong('blocked', 22)]);
});
afterAll(async () => {
  await airlock.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function admin(...args: readonly string[]) {
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const { code, stdout, stderr } = await runCli([...args, '--format', 'json'], { env });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A song as an upload, and talk that it follows, as a stream. */
async function makeSong(name: string, seed: number): Promise<void> {
  const pcm = song(seed, 40);
  writeFileSync(file(`${name}.pcm`), pcm);
  writeFileSync(file(`${name}-talk.pcm`), Buffer.concat([talk(seed, 5), pcm.subarray(2 * 3 * SOUND_RATE)]));
  await make([...PCM, '-i', file(`${name}.pcm`), ...picture, '-shortest', ...VIDEO, ...AUDIO, file(`${name}.mp4`)]);
  const talked = [...PCM, '-i', file(`${name}-talk.pcm`), ...picture, '-shortest', ...VIDEO, ...AUDIO];
  await make([...talked, '-f', 'flv', file(`${name}.flv`)]);
}

async function make(args: readonly string[]): Promise<void> {
  const { code, stderr } = await ffmpeg(['-y', ...args]);
  if (code !== 0) throw new Error(stderr);
}

async function upload(name: string): Promise<string> {
  const form = new FormData();
  form.set('source', new Blob([readFileSync(file(`${name}.mp4`))]), `${name}.mp4`);
  const url = new URL(`/${label}/videos`, airlock.quickstart.http_url);
  const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
  const { id } = (await (await fetch(url, { method: 'POST', body: form, headers })).json()) as { id: string };
  return id;
}

const stream = (name: string, url: string) =>
  start(['-re', '-i', file(`${name}.flv`), '-c', 'copy', ...over(url, airlock.authorityFile)]);

test('warns the encoder, stops under block, and leaves the own stream alone', async () => {
  for (const policy of ['monitored', 'blocked']) songs[policy] = await upload(policy);
  const { body: before } = await airlock.request('GET', `/${songs.monitored}`, { fields: 'status' });
  expect(before.status.copyright_check_status).toEqual({ status: 'not_checked', matches_found: false });
  for (const [name, policy] of [
    ['monitored', 'monitor'],
    ['blocked', 'block'],
  ] as const) {
    const added = await airlock.post(`/${label}/copyright_references`, { video_id: songs[name] ?? '', policy });
    expect(added).toEqual({ id: songs[name], success: true });
  }
  await airlock.until(
    () => airlock.get(`/${label}/copyright_references`),
    ({ data }) => data.length === 2 && data.every((row: { status: string }) => row.status === 'complete'),
  );

  const [watched, stopped] = [await airlock.createLive(), await airlock.createLive()];
  const own = await airlock.post(`/${label}/live_videos`, { status: 'LIVE_NOW', title: 'own' });
  const runs = [stream('blocked', stopped.url), stream('monitored', own.secure_stream_url)];
  let stopReplay: (signal: 'SIGINT') => void = () => undefined;
  const replayed = runCli(['replay', file('monitored.flv'), '--to', watched.url, '--ca', airlock.authorityFile], {
    stopped: new Promise((resolve) => {
      stopReplay = resolve;
    }),
  });
  const rows = await airlock.until(
    () => airlock.errors(watched.id, { error_code: '6602' }),
    (found) => found.length > 0,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    error_subcode: 6602,
    error_type: 'COPYRIGHT_MATCH',
    severity: 'warning',
    match: { reference_id: songs.monitored, page_id: label, policy: 'monitor' },
  });
  const match = rows[0]?.match as { start_ms: number; offset_ms: number; error_rate: number };
  // The song starts with its 4th second after 5 s of talk.
  expect(Math.abs(match.start_ms - match.offset_ms - 2_000)).toBeLessThan(700);
  expect(match.error_rate).toBeLessThanOrEqual(0.15);

  const ended = await airlock.until(
    () => airlock.errors(stopped.id),
    (found) => found.some((row) => row.error_code === 6601),
  );
  expect(ended.map((row) => row.error_code)).toContain(6602);
  expect(ended.find((row) => row.error_code === 6601)).toMatchObject({
    error_subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
  });
  expect((await airlock.get(`/${watched.id}`, { fields: 'status' })).status).toBe('LIVE');
  const withheld = (await airlock.get(`/${stopped.id}`, { fields: 'video' })).video.id;
  const { status: ofStopped } = await airlock.get(`/${withheld}`, { fields: 'status' });
  expect(ofStopped.copyright_check_status).toEqual({ status: 'complete', matches_found: true });
  const codes = (await airlock.errors(own.id)).map(({ error_code }) => error_code);
  for (const code of [6601, 6602]) expect(codes).not.toContain(code);
  for (const run of runs) run.stop();
  stopReplay('SIGINT');
  await reviewed(watched.id);
  const { stdout, stderr } = await replayed;
  expect(stdout + stderr).toContain('[6602 COPYRIGHT_MATCH] The sound is like that of the video');
  await Promise.all(runs.map((run) => run.done));
});

/** The operator hears both sounds over HTTP and dismisses the match; the owner of the broadcast cannot. */
async function reviewed(liveVideoId: string): Promise<void> {
  const path = '/dashboard/data/matches';
  const { token } = await admin('token', 'issue', airlock.quickstart.user_id, '--scopes', 'operator');
  const ask = (to: string, as: string, method = 'GET') =>
    fetch(new URL(`${path}${to}`, airlock.quickstart.http_url), { method, headers: { authorization: `Bearer ${as}` } });
  const { matches } = (await (await ask('', token)).json()) as { matches: { id: string; subject_id: string }[] };
  const match = matches.find((each) => each.subject_id === liveVideoId);
  for (const piece of ['found', 'reference']) {
    const clip = await ask(`/${match?.id}/${piece}`, token);
    expect(clip.headers.get('content-type')).toBe('audio/wav');
    // 8 s of one channel at 22,050 Hz.
    const { byteLength } = await clip.arrayBuffer();
    expect(byteLength).toBeGreaterThan(6 * 44_100);
    expect(byteLength).toBeLessThan(9 * 44_100);
    expect((await ask(`/${match?.id}/${piece}`, airlock.quickstart.access_token)).status).toBe(403);
  }
  const dispute = { match_id: match?.id ?? '', dispute: 'A license.' };
  expect(await airlock.post(`/${liveVideoId}/copyright_matches`, dispute)).toEqual({ id: match?.id, success: true });
  expect(await (await ask(`/${match?.id}?decision=dismissed`, token, 'POST')).json()).toMatchObject({
    state: 'dismissed',
    dispute: 'A license.',
  });
}

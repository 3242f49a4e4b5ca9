/** A reference with the policy `block` on a server that does not stop broadcasts, and what strangers reach of a withheld one. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { ffmpeg, over, start } from '../support/ffmpeg.js';
import { folderOfFile } from '../support/folders.js';
import { SOUND_RATE, song, talk } from '../support/sounds.js';

const folder = folderOfFile('airlock-withheld-');
const file = (name: string): string => join(folder, name);
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10', '-shortest'];
const CODED = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-b:v', '300k'];
const AAC = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '48000'];

let airlock: Airlock;
let stranger: string;
beforeAll(async () => {
  airlock = await Airlock.start();
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

async function make(pcm: Buffer, name: string): Promise<void> {
  writeFileSync(file('sound.pcm'), pcm);
  const { code, stderr } = await ffmpeg([
    '-y',
    ...PCM,
    '-i',
    file('sound.pcm'),
    ...PICTURE,
    ...CODED,
    ...AAC,
    file(name),
  ]);
  if (code !== 0) throw new Error(stderr);
}

async function referTo(page: string): Promise<string> {
  const form = new FormData();
  form.set('source', new Blob([readFileSync(file('song.mp4'))]), 'song.mp4');
  const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
  const url = new URL(`/${page}/videos`, airlock.quickstart.http_url);
  const { id } = (await (await fetch(url, { method: 'POST', body: form, headers })).json()) as { id: string };
  await airlock.post(`/${page}/copyright_references`, { video_id: id, policy: 'block' });
  await airlock.until(
    () => airlock.get(`/${page}/copyright_references`),
    ({ data }) => data[0]?.status === 'complete',
  );
  return id;
}

/** Status of a GET by a stranger. */
async function reached(path: string): Promise<number> {
  const url = new URL(path, airlock.quickstart.http_url);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${stranger}` } });
  await answer.body?.cancel();
  return answer.status;
}
const reachedEach = (paths: readonly string[]) => Promise.all(paths.map(reached));

test('a match with the policy block only warns where the server does not stop; what is confirmed is withheld until it is dismissed', async () => {
  const user = await admin('owner', 'add', 'user', 'Stranger');
  stranger = (await admin('token', 'issue', user.id, '--scopes', 'all')).token;
  const label = await admin('owner', 'add', 'page', 'Label', '--manager', airlock.quickstart.user_id);
  const tune = song(22, 60);
  await make(tune, 'song.mp4');
  await make(Buffer.concat([talk(22, 4), tune]), 'stream.flv');
  await referTo(label.id);

  const live = await airlock.createLive();
  const sender = start(['-re', '-i', file('stream.flv'), '-c', 'copy', ...over(live.url, airlock.authorityFile)]);
  const [row] = await airlock.until(
    () => airlock.errors(live.id, { error_code: '6602' }),
    (rows) => rows.length > 0,
  );
  expect(row?.match).toMatchObject({ policy: 'block', page_id: label.id });
  // Longer than a stop takes: 6601 would follow the same sample.
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'seconds_left' }),
    ({ seconds_left }) => seconds_left < 28_800 - 30,
  );
  expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
  expect((await airlock.errors(live.id)).map(({ error_code }) => error_code)).not.toContain(6601);

  const { video } = await airlock.get(`/${live.id}`, { fields: 'video' });
  const pages = [`/${live.id}`, `/${video.id}`, `/${video.id}/thumbnails`, `/${video.id}/captions`];
  expect(await reachedEach(pages)).toEqual([200, 200, 200, 200]);
  // The preview is for managers, also while the broadcast runs.
  const previews = [`/playback/${live.id}`, `/playback/${live.id}.flv`, `/playback/${live.id}/index.m3u8`];
  expect(await reachedEach(previews)).toEqual([403, 403, 403]);
  sender.stop();
  await sender.done;
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  const given = await airlock.until(
    async () => (await airlock.request('GET', `/${video.id}`, { fields: 'source,picture' }, stranger)).body,
    ({ source, picture }) => typeof source === 'string' && typeof picture === 'string',
  );
  const links = [given.source, given.picture];
  const files = links.map((link) => new URL(link).pathname);
  expect(await reachedEach([...links, ...files])).toEqual([200, 200, 200, 200]);

  const { matches } = await admin('reference', 'matches');
  const [match] = matches;
  await admin('reference', 'confirm', match.id);
  const refused = async () => {
    const statuses = await reachedEach([...pages, ...previews, ...links, ...files]);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    const listed = (await airlock.request('GET', `/${airlock.quickstart.page_id}/videos`, {}, stranger)).body;
    expect(JSON.stringify(listed)).not.toContain(video.id);
  };
  await refused();
  // The owner keeps what is withheld from others.
  const own = await airlock.get(`/${video.id}`, { fields: 'source,published' });
  expect(own.published).toBe(false);
  expect((await fetch(own.source)).status).toBe(200);
  await airlock.post(`/${live.id}/copyright_matches`, { match_id: match.id, dispute: 'A license.' });
  await refused();
  await admin('reference', 'dismiss', match.id);
  expect(await reachedEach([...pages, ...links, ...files])).toEqual([200, 200, 200, 200, 200, 200, 200, 200]);
});

/** Copyright references against running broadcasts: what the encoder, the operator and the owners get. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { FeedClient } from '../support/feed-client.js';
import { ffmpeg, over, start } from '../support/ffmpeg.js';
import { folderOfFile } from '../support/folders.js';
import { inFull } from '../support/in-full.js';
import { SOUND_RATE, song, talk } from '../support/sounds.js';

const folder = folderOfFile('airlock-copyright-');
const file = (name: string): string => join(folder, name);
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1'];
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', '-b:v', '300k'];
const AUDIO = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '48000'];
const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10'];

let airlock: Airlock;
let browser: Browser;
/** The Page whose songs are references. The quickstart Page streams them. */
let label: string;
/** A Page of another user, which may use one of the songs. */
const friend = { page: '', token: '' };
const songs: Record<string, string> = {};

beforeAll(async () => {
  [airlock, browser] = await Promise.all([Airlock.start({ AIRLOCK_COPYRIGHT_BLOCK: 'on' }), launchBrowser()]);
  const page = await admin('owner', 'add', 'page', 'Label', '--manager', airlock.quickstart.user_id);
  label = page.id;
  const user = await admin('owner', 'add', 'user', 'Another user');
  friend.page = (await admin('owner', 'add', 'page', 'Friend', '--manager', user.id)).id;
  friend.token = (await admin('token', 'issue', user.id, '--scopes', 'all')).token;
  await Promise.all([makeSong('monitored', 21), makeSong('blocked', 22), makeSong('excluded', 23)]);
});
afterAll(async () => {
  await browser.close();
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

async function upload(name: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = new FormData();
  for (const [param, value] of Object.entries(more)) form.set(param, value);
  form.set('source', new Blob([readFileSync(file(`${name}.mp4`))]), `${name}.mp4`);
  const url = new URL(`/${label}/videos`, airlock.quickstart.http_url);
  const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
  const { id } = (await (await fetch(url, { method: 'POST', body: form, headers })).json()) as { id: string };
  return id;
}

const stream = (name: string, url: string) =>
  start(['-re', '-i', file(`${name}.flv`), '-c', 'copy', ...over(url, airlock.authorityFile)]);

/** References with all that their owner may ask for; one is added by the operator. */
async function refer(): Promise<void> {
  for (const policy of ['monitored', 'blocked']) songs[policy] = await upload(policy, { title: 'Secret title' });
  songs.excluded = await upload('excluded', { is_reference_only: 'true', title: 'Secret title' });
  const { body: before } = await airlock.request('GET', `/${songs.monitored}`, { fields: 'status' });
  expect(before.status.copyright_check_status).toEqual({ status: 'not_started', matches_found: false });
  for (const [name, policy] of [
    ['monitored', 'monitor'],
    ['blocked', 'block'],
  ] as const) {
    const added = await airlock.post(`/${label}/copyright_references`, {
      video_id: songs[name] ?? '',
      policy,
      ...(policy === 'monitor' && { allowed_pages: friend.page }),
    });
    expect(added).toEqual({ id: songs[name], success: true });
  }
  await admin('reference', 'add', songs.excluded, '--policy', 'block', '--exclude', '0-60');
  await airlock.until(
    () => airlock.get(`/${label}/copyright_references`),
    ({ data }) => data.length === 3 && data.every((row: { status: string }) => row.status === 'complete'),
  );
  const { references } = await admin('reference', 'list', '--page', label);
  expect(references.map(({ id, policy }: Record<string, string>) => [id, policy])).toEqual([
    [songs.monitored, 'monitor'],
    [songs.blocked, 'block'],
    [songs.excluded, 'block'],
  ]);
}

const createdBy = async (page: string, token: string) =>
  (await airlock.request('POST', `/${page}/live_videos`, { status: 'LIVE_NOW', title: 'own' }, token)).body;

inFull('warns the encoder, stops under block, and leaves alone what is own, allowed or excluded', async () => {
  await refer();
  const [watched, stopped, spared] = [
    await airlock.createLive(),
    await airlock.createLive(),
    await airlock.createLive(),
  ];
  const own = await createdBy(label, airlock.quickstart.access_token);
  const allowed = await createdBy(friend.page, friend.token);
  const feed = await FeedClient.open(`${airlock.quickstart.http_url.replace('http', 'ws')}/live`, {
    type: 'subscribe',
    token: friend.token,
  });
  const runs = [
    stream('blocked', stopped.url),
    stream('monitored', own.secure_stream_url),
    stream('monitored', allowed.secure_stream_url),
    stream('excluded', spared.url),
  ];
  let stopReplay: (signal: 'SIGINT') => void = () => undefined;
  const replayed = runCli(['replay', file('monitored.flv'), '--to', watched.url, '--ca', airlock.authorityFile], {
    stopped: new Promise((resolve) => {
      stopReplay = resolve;
    }),
  });
  const looking = showsThatNothingIsCompared(own.id);
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
  await learnsNothing(allowed.id, feed);
  await looking;
  await reviewed(watched.id, stopped.id);
  // Both songs have been heard for longer than a match takes.
  for (const { id, token } of [
    { id: own.id, token: undefined },
    { id: spared.id, token: undefined },
    { id: allowed.id, token: friend.token },
  ]) {
    const { body } = await airlock.request('GET', `/${id}/errors`, { limit: '100' }, token);
    const codes = body.data.map(({ error_code }: { error_code: number }) => error_code);
    for (const code of [6601, 6602]) expect(codes).not.toContain(code);
  }
  for (const run of runs) run.stop();
  stopReplay('SIGINT');
  const { stdout, stderr } = await replayed;
  expect(stdout + stderr).toContain('[6602 COPYRIGHT_MATCH] The sound is like that of the video');
  const [first] = await Promise.all(runs.map((run) => run.done));
  // ffmpeg does not know why, and tells what the server said.
  expect(first?.stderr).toContain('6601 COPYRIGHT_VIOLATION');
  await removed();
});

/** The owner of an allowed Page, whose broadcast has no match, is told nothing of the references of others. */
async function learnsNothing(liveVideoId: string, feed: FeedClient): Promise<void> {
  await feed.next('health', ({ health }) => health?.copyright_check === 'on');
  const { video } = (await airlock.request('GET', `/${liveVideoId}`, { fields: 'video' }, friend.token)).body;
  const asked = [
    [`/${liveVideoId}/errors`, ''],
    [`/${liveVideoId}/copyright_matches`, ''],
    [`/${liveVideoId}/report`, ''],
    [`/${video.id}`, 'status,copyright_check_information'],
    [`/${friend.page}/copyright_references`, ''],
    [`/${friend.page}/videos`, 'id,title,copyright_check_information'],
    [`/${friend.page}/errors`, ''],
    ['/metrics', ''],
  ].map(async ([path = '', fields = '']) => {
    const url = new URL(path, airlock.quickstart.http_url);
    if (fields !== '') url.searchParams.set('fields', fields);
    return (await fetch(url, { headers: { authorization: `Bearer ${friend.token}` } })).text();
  });
  const ofBroadcast = airlock.log.split('\n').filter((line) => line.includes(liveVideoId));
  const said = [...(await Promise.all(asked)), JSON.stringify(feed.messages), ...ofBroadcast].join('\n');
  expect(said).toContain(liveVideoId);
  for (const secret of [...Object.values(songs), label, 'Secret title', 'Label']) expect(said).not.toContain(secret);
  for (const [path, refused] of [
    [`/${label}/copyright_references`, 403],
    // Only a reference: as a video that never was.
    [`/${songs.excluded}`, 400],
    ['/dashboard/data/matches', 403],
  ] as const) {
    const { status, body } = await airlock.request('GET', path, {}, friend.token);
    expect([path, status]).toEqual([path, refused]);
    expect(body.error.message).not.toContain('Label');
  }
  await feed.close();
}

/** All references are of the Page of this broadcast. */
async function showsThatNothingIsCompared(liveVideoId: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(45_000);
  await signIn(page, airlock.quickstart.access_token);
  await page.goto(`${airlock.quickstart.dashboard_url}#/broadcasts/${liveVideoId}`);
  await page.getByText(/ checks? without errors/).click();
  await page.getByRole('row', { name: /Copyright Not checked: no reference content/ }).waitFor();
  await screenshot(page, 'copyright-not-checked');
  await page.close();
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
}

/** The operator hears both sounds, releases what was stopped, and stops what runs. The owner of the broadcast cannot. */
async function reviewed(watched: string, stopped: string): Promise<void> {
  const path = '/dashboard/data/matches';
  const { token } = await admin('token', 'issue', airlock.quickstart.user_id, '--scopes', 'operator');
  const ask = (to: string, as: string) =>
    fetch(new URL(`${path}${to}`, airlock.quickstart.http_url), { headers: { authorization: `Bearer ${as}` } });
  const { matches } = (await (await ask('', token)).json()) as { matches: { id: string; subject_id: string }[] };
  const match = matches.find((each) => each.subject_id === watched);
  for (const piece of ['found', 'reference']) {
    const clip = await ask(`/${match?.id}/${piece}`, token);
    expect(clip.headers.get('content-type')).toBe('audio/wav');
    // 8 s of one channel at 22,050 Hz.
    const { byteLength } = await clip.arrayBuffer();
    expect(byteLength).toBeGreaterThan(6 * 44_100);
    expect(byteLength).toBeLessThan(9 * 44_100);
    expect((await ask(`/${match?.id}/${piece}`, airlock.quickstart.access_token)).status).toBe(403);
  }
  const dispute = { match_id: matches.find((each) => each.subject_id === stopped)?.id ?? '', dispute: 'A license.' };
  const disputed = { id: dispute.match_id, success: true };
  expect(await airlock.post(`/${stopped}/copyright_matches`, dispute)).toEqual(disputed);

  const page = await browser.newPage({ viewport: { width: 1280, height: 1100 } });
  page.setDefaultTimeout(45_000);
  const faults = faultsOf(page);
  await openMatches(page, token);
  const running = cardOf(page, watched);
  const [found, original] = [await heard(running, 'Broadcast or video'), await heard(running, 'Reference')];
  expect(Math.abs(found - original)).toBeLessThan(1);
  expect(found).toBeGreaterThan(6);
  const ended = cardOf(page, stopped);
  await ended.getByText('The owner disputes it: A license.').waitFor();
  await screenshot(page, 'copyright-matches');

  expect(await checkOf(stopped)).toEqual({ status: 'complete', matches_found: true });
  await ended.getByRole('button', { name: 'Dismiss match' }).click();
  await ended.getByText('Dismissed', { exact: true }).waitFor();
  expect((await checkOf(stopped)).matches_found).toBe(false);

  await running.getByRole('button', { name: 'Confirm match' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm match' }).click();
  await running.getByText('Confirmed', { exact: true }).waitFor();
  const records = await airlock.errors(watched, { error_code: '6601' });
  expect(records.map(({ error_subcode }) => error_subcode)).toEqual(['COPYRIGHT__LIVE_COPYRIGHT_VIOLATION']);
  expect((await checkOf(watched)).matches_found).toBe(true);
  await screenshot(page, 'copyright-decided');
  expect(faults).toEqual([]);
  await page.close();
}

async function openMatches(page: Page, token: string): Promise<void> {
  await signIn(page, token);
  await page.getByRole('link', { name: 'Copyright', exact: true }).click();
  await page.getByRole('heading', { name: 'Copyright matches' }).waitFor();
}

const cardOf = (page: Page, subjectId: string): Locator =>
  page.getByRole('region', { name: /^Found / }).filter({ hasText: subjectId });

/** What is used of the page's audio element. */
interface Sound {
  readonly readyState: number;
  readonly duration: number;
  addEventListener(type: 'loadedmetadata' | 'error', listener: () => void): void;
}

/** Length in seconds of a sound that the page plays. */
async function heard(card: Locator, title: string): Promise<number> {
  const sound = card.getByRole('region', { name: title });
  await sound.getByRole('button', { name: 'Listen' }).click();
  return sound.locator('audio').evaluate(
    (audio: Sound) =>
      new Promise<number>((resolve, reject) => {
        const look = () => void (audio.readyState > 0 && resolve(audio.duration));
        audio.addEventListener('loadedmetadata', look);
        audio.addEventListener('error', () => reject(new Error('the sound cannot be played')));
        look();
      }),
  );
}

async function checkOf(liveVideoId: string): Promise<{ status: string; matches_found: boolean }> {
  const { video } = await airlock.get(`/${liveVideoId}`, { fields: 'video' });
  return (await airlock.get(`/${video.id}`, { fields: 'status' })).status.copyright_check_status;
}

/** A print is made again on demand, and goes with its video. */
async function removed(): Promise<void> {
  const prints = () =>
    readdirSync(join(airlock.folder, 'data', 'blobs'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes(`${songs.excluded}/print-`),
    );
  const before = prints();
  expect(before).toHaveLength(1);
  expect(await admin('reference', 'rebuild')).toEqual({ ordered: 3 });
  await airlock.until(
    async () => prints(),
    (now) => now.length === 1 && now[0] !== before[0],
  );
  await admin('reference', 'remove', songs.blocked ?? '');
  expect((await airlock.request('DELETE', `/${songs.excluded}`)).body).toEqual({ success: true });
  await airlock.until(
    async () => prints(),
    (now) => now.length === 0,
  );
  const { references } = await admin('reference', 'list');
  expect(references.map(({ id }: { id: string }) => id)).toEqual([songs.monitored]);
}

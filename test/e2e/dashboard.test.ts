/** The dashboard and the dock as people use them: real Chromium, the built server, ffmpeg broadcasting. */

import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { accessibilityFaults, faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { ffmpeg, over, source, start } from '../support/ffmpeg.js';
import { inFull } from '../support/in-full.js';

let airlock: Airlock;
let browser: Browser;
/** One for all tests, so that the pages are loaded and compiled once. */
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  // A fixed port, so that a page finds the server again after a restart.
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  [airlock, browser] = await Promise.all([Airlock.start({ AIRLOCK_HTTP_PORT: String(port) }), launchBrowser()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
});

afterAll(async () => {
  await browser.close();
  await airlock.stop();
});

beforeEach(async () => {
  page = await context.newPage();
  page.setDefaultTimeout(45_000);
  faults = faultsOf(page);
  await context.clearCookies();
});

afterEach(() => page.close());

async function signIn(): Promise<void> {
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').fill(airlock.quickstart.access_token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
}

interface Video {
  readonly currentTime: number;
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number };
}

/** Its time advances, and frames are decoded. */
async function playsOn(label: string): Promise<void> {
  const video = page.getByLabel(label);
  await airlock.until(
    () => video.evaluate((element: Video) => [element.currentTime, element.getVideoPlaybackQuality().totalVideoFrames]),
    ([seconds = 0, frames = 0]) => seconds > 1 && frames > 10,
  );
}

/** At 360p, cheap to encode; it meets the specification but for what is asked otherwise. */
const small = { size: '640x360', videoKbps: 700 } as const;
/** Key frames every 2 s, but none from 6 s to 16 s: broken at 8 s, over again at 22 s. */
const GAP = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p'],
  ...['-x264-params', 'nal-hrd=cbr', '-b:v', '700k', '-minrate', '700k', '-maxrate', '700k', '-bufsize', '700k'],
  ...['-g', '9999', '-sc_threshold', '0'],
  ...['-force_key_frames', 'expr:isnan(prev_forced_t)+gte(t,prev_forced_t+2)*not(between(t,6,16))'],
];

test('an error appears on the dashboard and in the dock, and clears, without a reload', async () => {
  await signIn();
  const live = await airlock.createLive({ title: 'Sunday concert' });
  // The list hears of a broadcast that was made elsewhere.
  await page.getByRole('link', { name: /Sunday concert/ }).click();
  await page.getByRole('heading', { name: 'Sunday concert' }).waitFor();
  await page.getByText('Waiting for stream').waitFor();
  await page.getByRole('button', { name: 'OBS dock link' }).click();
  await page.getByRole('button', { name: 'Show Dock link' }).click();
  const link = (await page.getByText(/\/dock\/#\d+\./).textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'OBS dock link' }).and(page.locator(':focus')).waitFor();
  const dock = await context.newPage();
  await dock.setViewportSize({ width: 300, height: 900 });
  dock.setDefaultTimeout(45_000);
  const dockFaults = faultsOf(dock);
  await dock.goto(link);
  await dock.getByText('Waiting for stream').waitFor();

  const loads: string[] = [];
  for (const each of [page, dock]) each.on('load', () => loads.push(each.url()));
  // Encoded before: sending costs little, so that a loaded machine neither delays the stream nor reaches its end.
  const file = join(airlock.folder, 'gap.flv');
  await ffmpeg([...source({ ...small, seconds: 60, video: GAP, realTime: false }), file]);
  const running = start(['-re', '-i', file, '-c', 'copy', ...over(live.url, airlock.authorityFile)]);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Stream healthy: all checks pass.').waitFor();
  await dock.getByText('Stream healthy: all checks pass.').waitFor();

  await Promise.all([
    page.getByRole('heading', { name: 'Key frames too far apart' }).first().waitFor(),
    dock.getByRole('heading', { name: 'Key frames too far apart' }).waitFor(),
  ]);
  await page.getByRole('img', { name: 'Sunday concert, seconds ago' }).waitFor();
  await page.getByRole('meter', { name: 'Level L' }).waitFor();
  // What to change is said for the encoder that sends.
  await dock.getByText('-g 60', { exact: true }).waitFor();
  await page.getByRole('row', { name: /^Failing Key frame interval/ }).waitFor();
  // A report has the values of the last seconds too, which the ingest process saves once a minute.
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const report = await runCli(['live', 'report', live.id, '--format', 'json'], { env });
  expect(JSON.parse(report.stdout)).toMatchObject({ averages: { frame_rate: { min: 30, max: 30 } } });
  await Promise.all([screenshot(page, 'dashboard-error'), screenshot(dock, 'dock-error')]);
  for (const shown of [page, dock]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await shown.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(shown)).toEqual([]);
    }
  }

  await Promise.all([
    dock.getByText('Stream healthy: all checks pass.').waitFor(),
    page.getByText('Stream healthy: all checks pass.').waitFor(),
  ]);
  await page.getByRole('row', { name: /^OK Key frame interval/ }).waitFor();
  await dock.getByRole('heading', { name: 'Recently cleared' }).waitFor();
  await page.getByRole('img', { name: /^Key frame interval: .* failed once/ }).waitFor();
  await Promise.all([screenshot(page, 'dashboard-cleared'), screenshot(dock, 'dock-cleared')]);
  expect(loads).toEqual([]);
  running.stop();
  await running.done;
  expect(faults).toEqual([]);
  expect(dockFaults).toEqual([]);

  // The link reads this one broadcast on the feed, and is good for nothing else.
  const token = link.slice(link.indexOf('.', link.indexOf('#')) + 1);
  expect((await airlock.request('GET', `/${live.id}`, { fields: 'secure_stream_url' }, token)).status).toBe(401);
  await page.getByRole('button', { name: 'OBS dock link' }).click();
  await page.getByRole('button', { name: 'Revoke links' }).click();
  await page.getByRole('button', { name: 'Revoke all' }).click();
  await dock.getByRole('heading', { name: 'This link has expired or was revoked' }).waitFor();
  await dock.close();
});

test('creates a broadcast, shows its key, opens a poll, ends it and plays the recording', async () => {
  await signIn();
  await page.getByRole('link', { name: 'New broadcast' }).first().click();
  await page.getByLabel('Title', { exact: true }).fill('Council');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Council' }).waitFor();
  await page.getByRole('button', { name: 'Show Stream key' }).click();
  const key = (await page.getByText(/^\d+-[a-z2-7]{32}$/).textContent()) ?? '';
  const id = key.slice(0, key.indexOf('-'));
  await screenshot(page, 'dashboard-set-up');

  const audio = ['-c:a', 'aac', '-b:a', '128k', '-ac', '1', '-ar', '48000'];
  const url = airlock.quickstart.stream_url_base + key;
  const running = start([...source({ ...small, seconds: 60, audio }), ...over(url, airlock.authorityFile)]);
  await page.getByRole('heading', { name: 'Audio is not stereo' }).first().waitFor();

  const { video } = await airlock.get(`/${id}`, { fields: 'video' });
  await airlock.post(`/${video.id}/comments`, { message: 'Good evening' });
  await page.getByText('Good evening').waitFor();
  await page.getByRole('button', { name: /^Hide the comment/ }).click();
  await page.getByRole('button', { name: /^Show the comment/ }).waitFor();

  await page.getByText('New poll').click();
  await page.getByLabel('Question').fill('Tea?');
  await page.getByLabel(/^Options/).fill('yes\nno');
  await page.getByRole('button', { name: 'Ask viewers' }).click();
  await page.getByRole('heading', { name: 'Tea?' }).waitFor();
  const polls = await airlock.get(`/${id}/polls`, { fields: 'id,poll_options' });
  const [yes] = polls.data[0].poll_options.data;
  expect((await airlock.request('POST', `/${yes.id}/votes`)).status).toBe(200);
  await page.getByText('1 vote', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await playsOn('Council, live');
  await screenshot(page, 'dashboard-watching');
  await page.getByRole('img', { name: /^Frame rate: now 30 fps/ }).waitFor();
  await airlock.untilFrameRatesKept(id);

  await page.getByRole('button', { name: 'End broadcast' }).click();
  await page.getByRole('button', { name: 'Keep streaming' }).waitFor();
  await page.getByRole('button', { name: 'End broadcast' }).click();
  await page.getByText('Results for the whole broadcast.').waitFor();
  await running.done;
  await page.getByRole('row', { name: /^Failed Channels/ }).waitFor();
  await page
    .getByText(/^Lasted /)
    .first()
    .waitFor();
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await waiting).path(), 'utf8');
  expect(csv).toContain(',6304,AUDIO_CHANNELS_NOT_STEREO,');

  await page.reload();
  await page.getByRole('img', { name: /^Frame rate: last 30 fps/ }).waitFor();
  await page.getByRole('row', { name: /^Failed Channels .* failed once/ }).waitFor();
  await page.getByText(/ checks? without errors/).click();
  await page.getByRole('row', { name: /^OK Sample rate .* 48 kHz$/ }).waitFor();
  // The recording is made ready meanwhile, and then stands there without a reload.
  await page.getByLabel('Council, recording').waitFor();
  await page.getByLabel('Council, recording').evaluate((video: { play(): Promise<void> }) => video.play());
  await playsOn('Council, recording');
  // The mark of an error jumps there, and the picture names it.
  const mark = page.getByRole('button', { name: /^Audio is not stereo, show 0:0\d of the recording$/ });
  await mark.first().click();
  await page.getByRole('status').getByText('Audio is not stereo').waitFor();
  await screenshot(page, 'dashboard-over');
  expect(faults).toEqual([]);
});

inFull('judges a preview, goes live manually, filters and saves its error log', async () => {
  await signIn();
  await page.getByRole('link', { name: 'New broadcast' }).first().click();
  await page.getByLabel('Title', { exact: true }).fill('Rehearsal first');
  await page.getByLabel('Preview first, go live manually').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Rehearsal first' }).waitFor();
  const id = new URL(page.url()).hash.split('/').at(-1) ?? '';
  const { secure_stream_url: url } = await airlock.get(`/${id}`, { fields: 'secure_stream_url' });
  const audio = ['-c:a', 'aac', '-b:a', '128k', '-ac', '1', '-ar', '48000'];
  const running = start([...source({ ...small, seconds: 60, audio }), ...over(url, airlock.authorityFile)]);
  await page.getByText('Preview', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Audio is not stereo' }).first().waitFor();
  expect((await airlock.get(`/${id}`, { fields: 'status' })).status).toBe('UNPUBLISHED');
  await page.getByRole('button', { name: 'Go live' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'End broadcast' }).waitFor();
  expect(await page.getByRole('button', { name: 'Go live' }).count()).toBe(0);

  const log = page.getByRole('region', { name: 'Error log' });
  const row = log.getByRole('heading', { name: 'Audio is not stereo' });
  await row.waitFor();
  await log.getByLabel('Severity').selectOption('Warnings');
  await log.getByText('No matches').waitFor();
  await log.getByLabel('Severity').selectOption('Errors');
  await row.waitFor();
  await log.getByLabel('Open only').check();
  const waiting = page.waitForEvent('download');
  await log.getByRole('button', { name: 'JSON' }).click();
  const saved = JSON.parse(readFileSync(await (await waiting).path(), 'utf8'));
  const records = await airlock.errors(id, { severity: 'error', open: 'true' });
  expect(saved.map((each: { id: string }) => each.id)).toEqual(records.map((each) => each.id));
  expect(saved[0]).toMatchObject({ error_code: 6304, error_type: 'AUDIO_CHANNELS_NOT_STEREO' });
  await airlock.post(`/${id}`, { end_live_video: 'true' });
  await log.getByText('No matches').waitFor();
  await running.done;
  expect(faults).toEqual([]);
});

inFull('uploads a file over a failing network, checks it against the upload specification and plays it', async () => {
  const file = join(airlock.folder, 'talk.mp4');
  // Filler makes it large: a picture with as many bits takes seconds to encode.
  const filled = [
    ...['-x264-params', 'nal-hrd=cbr', '-b:v', '24M'],
    ...['-minrate', '24M', '-maxrate', '24M', '-bufsize', '24M'],
  ];
  const coded = [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60', ...filled],
    ...['-c:a', 'aac', '-ac', '2', '-ar', '48000'],
  ];
  const { code } = await ffmpeg([
    ...source({ size: '640x480', seconds: 4, realTime: false, video: coded, audio: [] }),
    file,
  ]);
  expect(code).toBe(0);
  // More than one window of eight megabytes, so that there is something to go on with.
  expect(statSync(file).size).toBeGreaterThan(9_000_000);

  await signIn();
  await page.getByRole('link', { name: 'Videos' }).click();
  const phases: string[] = [];
  let hold: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  await page.route('**/videos', async (route) => {
    const sent = route.request().postDataBuffer()?.toString('latin1') ?? '';
    const [phase = ''] = /start|transfer|finish/.exec(sent.slice(0, 300)) ?? [];
    phases.push(phase);
    const transfers = phases.filter((each) => each === 'transfer').length;
    if (transfers === 2) await route.abort('connectionreset');
    // The retry gets no answer: the upload is paused meanwhile.
    else if (transfers === 3) hold();
    else await route.continue();
  });
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByLabel('Title', { exact: true }).fill('A talk');
  await page.getByRole('button', { name: 'Upload' }).click();
  await held;
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.reload();
  await page.getByText(/^Unfinished: talk\.mp4, .* Choose the same file to resume\.$/).waitFor();
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByLabel('Title', { exact: true }).fill('A talk');
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('heading', { name: 'A talk' }).waitFor();
  // It went on where it was: no second start, and the first window was not sent again.
  expect(phases.slice(0, 5)).toEqual(['start', 'transfer', 'transfer', 'transfer', 'transfer']);
  expect(phases.filter((each) => each === 'start')).toHaveLength(1);
  await page.getByRole('heading', { name: 'Picture is not 16x9 or 9x16' }).waitFor();
  await page.getByLabel('A talk').evaluate((video: { muted: boolean; play(): Promise<void> }) => {
    video.muted = true;
    return video.play();
  });
  await playsOn('A talk');

  await page.getByLabel(/^Add captions/).setInputFiles({
    name: 'talk.en_US.srt',
    mimeType: 'application/x-subrip',
    buffer: Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n'),
  });
  await page.getByText('English (US)').waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: '0:00 Hello' }).click();
  await page
    .getByLabel('Add captions')
    .setInputFiles({ name: 'talk.srt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByRole('alert').waitFor();
  const picture = join(airlock.folder, 'title.png');
  expect((await ffmpeg(['-f', 'lavfi', '-i', 'color=navy:size=640x360', '-frames:v', '1', picture])).code).toBe(0);
  const thumbnails = page.getByRole('region', { name: 'Thumbnails' });
  const made = await thumbnails.getByRole('img').count();
  expect(made).toBeGreaterThan(0);
  await page.getByLabel('Replace the thumbnail').setInputFiles(picture);
  await thumbnails.getByRole('img', { name: `Thumbnail ${made + 1}` }).waitFor();
  const id = new URL(page.url()).hash.split('/').at(-1) ?? '';
  const shown = async (): Promise<string> => {
    const { data } = await airlock.get(`/${id}/thumbnails`, { fields: 'id,is_preferred' });
    return data.find((each: { is_preferred: boolean }) => each.is_preferred).id;
  };
  const uploaded = await shown();
  await thumbnails.getByRole('button', { name: 'Select', exact: true }).first().click();
  await airlock.until(shown, (now) => now !== uploaded);
  await screenshot(page, 'dashboard-video');

  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('The talk');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The talk' }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toBe('The talk.mp4');
  await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
  await page.getByRole('button', { name: 'Delete video' }).click();
  await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  expect((await airlock.request('GET', `/${id}`)).status).not.toBe(200);
});

test('the pages reconnect after a server outage', async () => {
  await signIn();
  const live = await airlock.createLive({ title: 'Over a restart' });
  await page.getByRole('link', { name: /Over a restart/ }).waitFor();
  await airlock.kill('SIGTERM');
  await page.getByText(/^Reconnecting/).waitFor();
  await screenshot(page, 'dashboard-reconnecting');
  await airlock.restart();
  await page.getByText('Up to date').waitFor();
  // The session of before the restart.
  const tab = await context.newPage();
  await tab.goto(airlock.quickstart.dashboard_url);
  await tab.getByRole('link', { name: /Over a restart/ }).waitFor();
  await tab.close();
  const done = start([
    ...source({ ...small, seconds: 8, audio: ['-c:a', 'aac', '-b:a', '128k', '-ac', '1', '-ar', '48000'] }),
    ...over(
      (await airlock.get(`/${live.id}`, { fields: 'secure_stream_url' })).secure_stream_url,
      airlock.authorityFile,
    ),
  ]).done;
  await page.getByRole('link', { name: /Over a restart.*1 error/ }).waitFor();
  await done;
});

inFull('every page that was opened while the server was away comes back by itself', async () => {
  const live = await airlock.createLive({ title: 'While it was away' });
  const { stdout } = await runCli(['sign-in', '--format', 'json'], {
    env: { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') },
  });
  const { video } = await airlock.get(`/${live.id}`, { fields: 'video' });
  const pages: readonly (readonly [string, () => Locator])[] = [
    ['#/videos', () => page.getByRole('list', { name: 'Videos' }).or(page.getByText('No videos yet'))],
    [`#/videos/${video.id}`, () => page.getByRole('heading', { name: 'While it was away' })],
    ['#/overview', () => page.getByRole('row', { name: /^ingest / })],
    [`#/broadcasts/${live.id}`, () => page.getByText('Stream key', { exact: true }).first()],
  ];
  for (const [path, content] of pages) {
    await page.goto('about:blank');
    await signInBy(path === '#/videos' ? JSON.parse(stdout).sign_in_url : airlock.quickstart.dashboard_url);
    await airlock.kill('SIGTERM');
    await page.evaluate(`location.hash = '${path}'`);
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
    await screenshot(page, `dashboard-away${path.replaceAll(/\W+|\d+/g, '-')}`);
    await airlock.restart();
    await content().waitFor();
    await page.getByText('Up to date').waitFor();
    // Each panel asks again by itself.
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor({ state: 'detached' });
  }
});

/** Opens the address, and waits for the list that it shows. */
async function signInBy(address: string): Promise<void> {
  await page.goto(address);
  await page.getByText('Up to date').waitFor();
}

inFull('finds broadcasts beyond the list by title and by page', async () => {
  const old = await airlock.createLive({ title: 'The first concert' });
  const page7 = airlock.quickstart.page_id;
  for (let made = 0; made < 210; made += 10) {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const params = { status: 'UNPUBLISHED', title: `Rehearsal ${made + index}` };
        return airlock.post(`/${page7}/live_videos`, params);
      }),
    );
  }
  await signIn();
  const link = page.getByRole('link', { name: /The first concert/ });
  await page.getByRole('link', { name: /Rehearsal 209/ }).waitFor();
  expect(await link.count()).toBe(0);
  await page.getByLabel('Find broadcasts by title, owner or ID').fill('first concert');
  await link.waitFor();
  await page.getByText('End of the list.').waitFor();
  await screenshot(page, 'dashboard-search');
  await page.getByLabel('Find broadcasts by title, owner or ID').fill('');
  await page.getByRole('link', { name: /Rehearsal 209/ }).waitFor();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await link.click();
  await page.getByRole('heading', { name: 'The first concert' }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/broadcasts/${old.id}`);
  expect(faults).toEqual([]);
});

// The pictures of docs/images, from a real run: npm run screenshots [-- FOLDER [--every-size]], and each page in the other theme and on
// a phone for test/long/kept-pictures. With --every-size also pages that no document shows and a wide screen, to look at.
//
// Needs the built server, ffmpeg and Chromium (CHROMIUM_PATH). Takes about a minute: one broadcast that breaks rules, one that
// conforms, an uploaded video, and the pages of each. In a FOLDER of its own, moving.json says what of each picture changes from run
// to run: test/long/pictures compares the rest.
import { mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const { Airlock } = await import('../test/support/airlock.ts');
const { launchBrowser } = await import('../test/support/browser.ts');
const { ffmpeg, source, start } = await import('../test/support/ffmpeg.ts');

const everySize = process.argv.includes('--every-size');
const ROOT = join(import.meta.dirname, '..');
const folder = process.argv[2] ?? join(ROOT, 'docs', 'images');
const variants = process.argv[2] ?? join(ROOT, 'test', 'long', 'kept-pictures');
const WIDTH = 1280;
const PHONE_WIDTH = 360;
/** Longer than all pictures of running broadcasts take; they are stopped then. */
const STREAM_S = 400;
/** The windows of the rules, and some points of the charts. */
const SHOWN_AFTER_MS = 25_000;

/** Pictures, charts, bars along time, and all text with a digit, in pixels of the page. */
const MOVING = `(() => {
  const found = [];
  const add = ({ left, top, width, height }) => {
    if (width > 0 && height > 0) found.push([left + scrollX, top + scrollY, width, height].map(Math.round));
  };
  for (const each of document.querySelectorAll('img, video, canvas, progress, [style], input')) add(each.getBoundingClientRect());
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (!/\\d/.test(texts.currentNode.data)) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const rect of range.getClientRects()) add(rect);
  }
  return found;
})()`;
const moving = {};

/** By the one-time link, whose token may also read the state of the server. */
async function signedIn(browser, airlock) {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 900 } });
  await page.goto(airlock.quickstart.sign_in_url);
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
  return page;
}

async function save(page, name, fullPage = true) {
  await wait(1_500);
  moving[name] = await page.evaluate(MOVING);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage, animations: 'disabled' });
  process.stdout.write(`${join(folder, `${name}.png`)}\n`);
  await saveVariants(page, name);
}

async function saveVariants(page, name) {
  const before = page.viewportSize();
  const widths = before.width < WIDTH ? [before.width] : [PHONE_WIDTH, WIDTH, ...(everySize ? [1600] : [])];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      if (width === before.width && colorScheme === 'light') continue;
      await page.setViewportSize({ width, height: before.height });
      await wait(600);
      const variant = `${name}-${width}-${colorScheme}`;
      moving[variant] = await page.evaluate(MOVING);
      await page.screenshot({ path: join(variants, `${variant}.png`), fullPage: true, animations: 'disabled' });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
}

const publish = (airlock, url, options) =>
  start([...source(options), '-tls_verify', '1', '-ca_file', airlock.authorityFile, '-f', 'flv', url]);

async function upload(airlock) {
  const file = join(airlock.folder, 'talk.mp4');
  await ffmpeg([...source({ seconds: 8, realTime: false }), file]);
  const form = new FormData();
  form.set('title', 'Conference talk');
  form.set('source', await openAsBlob(file), 'talk.mp4');
  const { http_url, page_id, access_token } = airlock.quickstart;
  const answer = await fetch(`${http_url}/${page_id}/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
    body: form,
  });
  const { id } = await answer.json();
  await airlock.until(
    () => airlock.get(`/${id}`, { fields: 'status' }),
    ({ status }) => status?.video_status === 'ready',
  );
  return id;
}

/** The steps before the first packet: signing in, a new broadcast, the values for its encoder. */
async function firstSteps(airlock, browser, page, live) {
  const stranger = await browser.newPage({ viewport: { width: WIDTH, height: 560 } });
  await stranger.goto(airlock.quickstart.dashboard_url);
  await stranger.getByLabel('Access token').waitFor();
  await save(stranger, 'sign-in', false);
  await stranger.close();
  await page.goto(`${airlock.quickstart.dashboard_url}#/new`);
  await page.getByRole('heading', { name: 'New broadcast', level: 1 }).waitFor();
  await page.setViewportSize({ width: WIDTH, height: 500 });
  await save(page, 'new-broadcast', false);
  await page.setViewportSize({ width: WIDTH, height: 600 });
  await page.goto(`${airlock.quickstart.dashboard_url}#/broadcasts/${live.id}`);
  await page.getByRole('heading', { name: 'Evening news', level: 1 }).waitFor();
  await save(page, 'waiting', false);
  await page.setViewportSize({ width: WIDTH, height: 900 });
}

async function running(airlock, browser, page) {
  const failing = await airlock.createLive({ title: 'Evening news' });
  await firstSteps(airlock, browser, page, failing);
  const conforming = await airlock.createLive({ title: 'Concert' });
  const streams = [
    publish(airlock, failing.url, { size: '640x360', videoKbps: 700, keyFrames: 250, seconds: STREAM_S }),
    publish(airlock, conforming.url, { seconds: STREAM_S }),
  ];
  await wait(SHOWN_AFTER_MS);
  await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
  await page.getByRole('link', { name: /Evening news.*1 error/ }).waitFor();
  await page.getByRole('link', { name: /Concert.*All checks pass/ }).waitFor();
  await save(page, 'dashboard-list', false);
  await page.getByRole('link', { name: 'Evening news' }).click();
  await page.getByRole('img', { name: 'Evening news, seconds ago' }).waitFor();
  await page.getByText(/0 viewers/).waitFor();
  await save(page, 'dashboard');
  await page.getByRole('button', { name: 'OBS dock link' }).click();
  await page.getByRole('button', { name: 'Show Dock link' }).click();
  const link = await page.getByText(/\/dock\/#\d+\./).textContent();
  const dock = await browser.newPage({ viewport: { width: 300, height: 900 } });
  await page.keyboard.press('Escape');
  await dock.goto(link);
  await dock.getByText('Evening news').waitFor();
  await dock.getByText('8.33 s', { exact: true }).waitFor();
  await save(dock, 'dock');
  await page.getByRole('link', { name: 'Server', exact: true }).click();
  await page.getByRole('row', { name: /^ingest \d/ }).waitFor();
  await page.locator('img[src^="blob:"]').nth(1).waitFor();
  await save(page, 'server', false);
  for (const { stop } of streams) stop();
  await Promise.all(streams.map(({ done }) => done));
  if (everySize) await saveAway(page, dock);
  await airlock.post(`/${failing.id}`, { end_live_video: 'true' });
  await airlock.post(`/${conforming.id}`, { end_live_video: 'true' });
  for (const { id } of [failing, conforming]) {
    await airlock.until(
      () => airlock.get(`/${id}`, { fields: 'status,video{status}' }),
      ({ status, video }) => status === 'VOD' && video?.status?.video_status === 'ready',
    );
  }
  await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
  await page.getByRole('link', { name: 'Evening news' }).click();
  await page.getByLabel('Evening news, recording').waitFor();
  await save(page, 'dashboard-ended');
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the report' }).click();
  await save(await opening, 'report');
}

/** Pages that no document shows, to look at. */
async function saveAway(page, dock) {
  await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
  await page.getByRole('link', { name: 'Evening news' }).click();
  await page.getByText(/Ended by the encoder: /).waitFor();
  await save(page, 'extra-away');
  await save(dock, 'extra-dock-away');
}

async function extras(airlock, page) {
  for (const [name, path, heading] of [
    ['extra-waiting', `#/broadcasts/${airlock.quickstart.live_video_id}`, 'My first broadcast'],
    ['extra-copyright', '#/matches', /./],
  ]) {
    await page.goto(airlock.quickstart.dashboard_url + path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await save(page, name);
  }
  const { permalink_url: permalink } = await airlock.get(`/${airlock.quickstart.live_video_id}`, {
    fields: 'permalink_url',
  });
  const opened = await page.goto(new URL(permalink, airlock.quickstart.http_url).href);
  process.stdout.write(`${permalink}: ${opened?.status()}\n`);
  await save(page, 'extra-permalink');
}

async function video(airlock, page) {
  await upload(airlock);
  await page.goto(`${airlock.quickstart.dashboard_url}#/videos`);
  await page.getByRole('link', { name: 'Conference talk' }).waitFor();
  await save(page, 'videos', false);
  await page.getByRole('link', { name: 'Conference talk' }).click();
  await page.getByRole('heading', { name: 'Conference talk' }).waitFor();
  await save(page, 'video');
}

for (const each of [folder, variants]) mkdirSync(each, { recursive: true });
const [airlock, browser] = await Promise.all([Airlock.start(), launchBrowser()]);
try {
  const page = await signedIn(browser, airlock);
  await running(airlock, browser, page);
  await video(airlock, page);
  if (everySize) await extras(airlock, page);
  if (process.argv[2] !== undefined) writeFileSync(join(folder, 'moving.json'), JSON.stringify(moving));
} finally {
  await browser.close();
  await airlock.stop();
}

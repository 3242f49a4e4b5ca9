/**
 * Every page of the dashboard and the dock, with a running broadcast: axe-core in both themes, widths from 360 to 2,560 pixels,
 * titles, reduced motion; and the videos by keyboard alone. What was checked is printed as a table.
 */
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { accessibilityFaults, faultsOf, launchBrowser, signIn } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { ffmpeg, over, source, start } from '../support/ffmpeg.js';

const WIDTHS = [360, 400, 768, 1280, 1600, 2560];

let airlock: Airlock;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [airlock, browser] = await Promise.all([Airlock.start(), launchBrowser()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  faults = faultsOf(page);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await airlock.stop();
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Numbers of what was found; the page must have been waited for. */
async function check(name: string, shown: Page, title: RegExp, widths = WIDTHS): Promise<void> {
  const before = shown.viewportSize() ?? { width: 1280, height: 900 };
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await accessibilityFaults(shown)).map((fault) => `${colorScheme} ${fault}`));
  }
  await shown.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const tooWide: string[] = [];
  for (const width of widths) {
    await shown.setViewportSize({ width, height: before.height });
    const by = await shown.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (by > 0) tooWide.push(`${by} px beyond ${width}`);
  }
  await shown.setViewportSize(before);
  const moving = await shown.evaluate<number>(
    `document.getAnimations().filter((each) => each instanceof CSSTransition).length`,
  );
  const text = await shown.title();
  say(`| ${name} | ${found.length} | ${found.length} | ${tooWide.length} of ${widths.length} | ${moving} | ${text} |`);
  expect({ name, found, tooWide, moving, text }).toEqual({
    name,
    found: [],
    tooWide: [],
    moving: 0,
    text: expect.stringMatching(title),
  });
}

async function go(hash: string, heading: string | RegExp): Promise<void> {
  await page.goto(airlock.quickstart.dashboard_url + hash);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

const small = { size: '640x360', videoKbps: 700 } as const;

test('every page is accessible in both themes, fits from 360 to 2,560 pixels, and its title tells the state', async () => {
  say('| page | axe light and dark | (sum) | too wide | moving | title |\n|---|---|---|---|---|---|');
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').waitFor();
  expect(await page.getByLabel('Access token').and(page.locator(':focus')).count()).toBe(1);
  await check('sign-in', page, /^Airlock$/);
  await page.goto(airlock.quickstart.sign_in_url);
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
  await check('list', page, /^Airlock$/);
  await go('#/new', 'New broadcast');
  await check('new broadcast', page, /^New broadcast · Airlock$/);
  await go(`#/broadcasts/${airlock.quickstart.live_video_id}`, 'My first broadcast');
  await page.getByText('Stream key', { exact: true }).first().waitFor();
  await check('waiting, with the guide', page, /^My first broadcast$/);

  const live = await airlock.createLive({ title: 'Evening news' });
  const mono = ['-c:a', 'aac', '-b:a', '128k', '-ac', '1', '-ar', '48000'];
  await go(`#/broadcasts/${live.id}`, 'Evening news');
  const running = start([
    ...source({ ...small, keyFrames: 250, seconds: 600, audio: mono }),
    ...over(live.url, airlock.authorityFile),
  ]);
  await page.getByText('Live', { exact: true }).waitFor();
  // Its second key frame comes after 8 s.
  await page.getByRole('img', { name: 'Evening news, seconds ago' }).waitFor({ timeout: 3_000 });
  await page.getByText(/^2 errors/).waitFor();
  await page.getByRole('img', { name: /^Key frame interval: now/ }).waitFor();
  await page.getByText('With ffmpeg: ').first().waitFor();
  await check('running, failing', page, /^2 errors · Evening news$/);
  await page.getByRole('button', { name: 'OBS dock link' }).click();
  await page.getByRole('button', { name: 'Show Dock link' }).click();
  const dock = await context.newPage();
  await dock.setViewportSize({ width: 300, height: 900 });
  await dock.goto((await page.getByText(/\/dock\/#\d+\./).textContent()) ?? '');
  await dock.getByText('Evening news').waitFor();
  await dock.getByText(/^2 errors/).waitFor();
  await check('dock, failing', dock, /./, [260, 300, 400, 600]);
  await check('running, with the dock link', page, /^2 errors · Evening news$/);
  await go('#/', 'Broadcasts');
  await page.getByRole('link', { name: /Evening news.*2 errors/ }).waitFor();
  await check('list, on air', page, /^2 errors · Airlock$/);
  await go('#/overview', 'Server');
  await page.getByRole('row', { name: /^ingest / }).waitFor();
  await page.getByRole('link', { name: /Evening news/ }).waitFor();
  await check('server', page, /^2 errors · Server · Airlock$/);

  running.stop();
  await running.done;
  await go(`#/broadcasts/${live.id}`, 'Evening news');
  await page.getByText(/^Ended by the encoder: the broadcast closes in \d+ s/).waitFor();
  await check('encoder away', page, /Evening news$/);
  await dock.getByText(/^Ended by the encoder: /).waitFor();
  await dock.getByText('Last observed values').waitFor();
  await check('dock, encoder away', dock, /./, [260, 300, 400, 600]);
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await page.getByLabel('Evening news, recording').waitFor();
  await page.getByRole('heading', { name: 'Before the next broadcast' }).waitFor();
  await check('ended', page, /Evening news$/);
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the report' }).click();
  const report = await opening;
  await report.getByRole('heading', { name: 'Report: Evening news' }).waitFor();
  await check('report', report, /^Report: Evening news$/);
  await report.close();
  await page.goto(`${airlock.quickstart.dashboard_url}#/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await check('unknown page', page, /Airlock$/);
}, 400_000);

test('pages of the operator', async () => {
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const { stdout } = await runCli(['token', 'issue', airlock.quickstart.user_id, '--scopes', 'operator'], { env });
  const token = /AL[\w-]+/.exec(stdout)?.[0] ?? '';
  const own = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await signIn(own.context(), airlock.quickstart.dashboard_url, token);
  await own.goto(`${airlock.quickstart.dashboard_url}#/matches`);
  await own.getByRole('heading', { name: 'Copyright matches' }).waitFor();
  await check('copyright', own, /Copyright · Airlock$/);
  await own.close();
});

/** The element with the focus, by its name or text. */
const focused = (): Promise<string> =>
  page.locator(':focus').evaluateAll(([element]) => {
    // The content as a whole has the focus when a page begins.
    if (element?.tagName === 'MAIN') return '';
    const input = element as { labels?: ArrayLike<{ textContent: string | null }> } | undefined;
    return (
      element?.getAttribute('aria-label') ??
      input?.labels?.[0]?.textContent ??
      element?.textContent ??
      ''
    ).trim();
  });

async function tabTo(name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    const now = await focused();
    if (name.test(now)) return;
    passed.push(now);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no focus on ${name}: ${passed.join(' | ')}`);
}

test('a video is uploaded, renamed, captioned, given a thumbnail, downloaded and deleted by keyboard', async () => {
  const file = join(airlock.folder, 'talk.mp4');
  await ffmpeg([...source({ seconds: 4, realTime: false }), file]);
  const title = join(airlock.folder, 'title.png');
  await ffmpeg(['-f', 'lavfi', '-i', 'color=navy:size=640x360', '-frames:v', '1', title]);
  await signIn(page.context(), airlock.quickstart.dashboard_url, airlock.quickstart.access_token);
  await page.goto(airlock.quickstart.dashboard_url);
  await go('#/videos', 'Videos');
  await check('videos', page, /Videos · Airlock$/);
  await tabTo(/Choose a file$/);
  const choosing = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await choosing).setFiles(file);
  await tabTo(/^Upload$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'talk', level: 1 }).waitFor();
  await page.getByText('Ready', { exact: true }).waitFor();
  await page.getByRole('img', { name: 'Thumbnail 1' }).waitFor();
  await check('video', page, /Video · Airlock$/);

  // The page starts at its content, and a dialog gives the focus back.
  await tabTo(/^Rename$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).waitFor();
  await check('dialog', page, /Video · Airlock$/);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Rename' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('The talk');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The talk', level: 1 }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Rename' }).and(page.locator(':focus')).waitFor();

  await tabTo(/^Download$/);
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await downloading).suggestedFilename()).toBe('The talk.mp4');

  await tabTo(/^Language/);
  await page.keyboard.press('ArrowDown');
  await tabTo(/^Add captions/);
  const captions = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  const buffer = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n');
  await (await captions).setFiles({ name: 'talk.srt', mimeType: 'application/x-subrip', buffer });
  await page.getByRole('button', { name: 'Preview' }).waitFor();
  await page.locator('main').focus();
  await tabTo(/^Preview$/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: '0:00 Hello' }).waitFor();
  await tabTo(/^(Add|Replace) .*thumbnail/);
  const picking = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  const made = await page.getByRole('img', { name: /^Thumbnail/ }).count();
  await (await picking).setFiles(title);
  await page.getByRole('img', { name: `Thumbnail ${made + 1}` }).waitFor();

  await page.locator('main').focus();
  await tabTo(/^Delete$/);
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await page.getByRole('button', { name: 'Keep video' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await tabTo(/^Delete video$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
  await page.locator('main:focus').waitFor();
  expect(faults).toEqual([]);
}, 200_000);

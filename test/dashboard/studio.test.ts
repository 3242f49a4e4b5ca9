/** Pages of the dashboard in Chromium, with the real feed and store; answers of the interface are given by the test. */

import { TOPIC } from '../../src/ports/index.js';
import { accessibilityFaults, screenshot, signIn } from '../support/browser.js';
import { inFull } from '../support/in-full.js';
import { until } from '../support/store-harness.js';
import { HEALTH, INPUTS } from './feed-harness.js';
import { faults, harness, MONO, openPages, page } from './pages-harness.js';

openPages({ width: 1280, height: 900 });

/** Answers of `GET path`, by the path; an edge that is not named is empty. */
async function answer(answers: Readonly<Record<string, (params: URLSearchParams) => object>>): Promise<void> {
  await page.route(/\/\d+(\/[a-z_]+)?(\?|$)/, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const [, path] = /^\/dashboard\/api(\/\d.*)$/.exec(pathname) ?? [];
    if (path === undefined) return route.continue();
    await route.fulfill({ json: answers[path]?.(searchParams) ?? { data: [] } });
  });
}

async function open(path: string): Promise<void> {
  await signIn(page.context(), harness.httpUrl, 'page-7');
  await page.goto(`${harness.httpUrl}/dashboard/#${path}`);
  await page.getByText('Up to date').waitFor();
}

/** Keeps what the page notifies of and how many tones it plays. */
const RECORDER = `
  window.told = [];
  window.tones = 0;
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() { return (this.permission = 'granted'); }
    constructor(title, { body }) { window.told.push(title + ' | ' + body); }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.tones++; return start.call(this, at); };
`;

test('the bell sounds and notifies of each new error of any broadcast, until it is off', async () => {
  await page.addInitScript(RECORDER);
  await harness.live('1', { title: 'Evening news' });
  await harness.raise('1', 1, MONO);
  await open('/');
  const told = (): Promise<string[]> => page.evaluate('window.told');
  const bell = page.getByRole('button', { name: 'Alerts' });
  await harness.raise('1', 1, MONO);
  await page.getByText('2 errors').first().waitFor();
  expect(await told()).toEqual([]);
  await bell.focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^Off: a sound for each new error/).waitFor();
  await page.getByRole('button', { name: 'Turn alerts on' }).press('Enter');
  await page.getByText(/^On: a sound and a notification/).waitFor();
  await page.keyboard.press('Escape');
  await bell.and(page.locator(':focus')).waitFor();
  // One sample of the sound; the errors that are open already are not told.
  expect([await page.evaluate('window.tones'), await told()]).toEqual([2, []]);
  await harness.raise('1', 1, MONO);
  await until(() => page.evaluate<boolean>('window.told.length > 0'));
  expect([await page.evaluate('window.tones'), await told()]).toEqual([
    4,
    ['Audio is not stereo: Evening news | Settings, Audio: set Channels to Stereo.'],
  ]);
  // The choice is kept; what was raised while the page was away is not told.
  await page.reload();
  await page.getByRole('button', { name: 'Alerts on' }).click();
  await page.getByRole('button', { name: 'Turn alerts off' }).click();
  await harness.raise('1', 1, MONO);
  await page.getByText('4 errors').first().waitFor();
  expect(await told()).toEqual([]);
  expect(faults).toEqual([]);
});

inFull('comments, likes and votes appear as the feed announces them, and nothing is asked for in between', async () => {
  const asked: string[] = [];
  const comments: object[] = [];
  let votes = 0;
  await answer({
    '/1/comments': () => {
      asked.push('comments');
      return { data: [...comments] };
    },
    '/1/likes': () => ({ data: [], summary: { total_count: 3 } }),
    '/1/polls': () => {
      const poll_options = { data: [{ id: '51', text: 'Yes', total_votes: votes }] };
      return { data: [{ id: '5', question: 'Tea?', status: 'voting_open', poll_options }] };
    },
  });
  harness.health.set('1', HEALTH);
  const now = { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() } as const;
  await harness.live('1', now);
  await open('/broadcasts/1');
  await page.getByText('3 likes').waitFor();
  await page.getByText('0 votes').waitFor();
  const before = asked.length;
  comments.push({ id: '10_1', message: 'Good evening', from: { name: 'Ann' } });
  votes = 12;
  harness.store.bus.publish(TOPIC.engagement, { what: 'comment', videoId: '10' });
  harness.store.bus.publish(TOPIC.engagement, { what: 'poll', videoId: '1' });
  await page.getByText('Good evening').waitFor();
  await page.getByText('12 votes').waitFor();
  expect(asked.length - before).toBe(1);
  // One is written beside the picture, stands on top, and the focus stays in the box.
  const written = page.waitForRequest(
    (request) => request.method() === 'POST' && /\/10\/comments$/.test(request.url()),
  );
  const box = page.getByLabel('Write a comment');
  await box.fill('شكرا');
  comments.unshift({ id: '10_2', message: 'شكرا', from: { name: 'A Page' } });
  await box.press('Enter');
  expect((await written).postData()).toContain('message=');
  const list = page.getByRole('list', { name: 'Newest comments first' }).getByRole('listitem');
  await list.first().getByText('شكرا').and(page.locator('[dir=auto]')).waitFor();
  await box.and(page.locator(':focus')).waitFor();
  expect(await box.inputValue()).toBe('');
  expect(await accessibilityFaults(page)).toEqual([]);
  await screenshot(page, 'studio-comments');
  expect(faults).toEqual([]);
});

const day = (of: number): string => new Date(Date.UTC(2026, 0, of)).toISOString();

const video = (id: number, over: object = {}) => ({
  id: String(id),
  title: `Talk ${id}`,
  created_time: day(id),
  length: 60 + id,
  status: { video_status: 'ready' },
  from: { id: '7', name: 'A Page' },
  ...over,
});

inFull('videos are searched, filtered, sorted and read in pages', async () => {
  const running = { live_video: { id: '1' }, live_status: 'LIVE', status: { video_status: 'processing' } };
  const newest = [video(9, running), video(8, { status: { video_status: 'error' } })];
  await answer({
    '/7/videos': (params) =>
      params.get('after') === null
        ? { data: newest, paging: { next: 'there', cursors: { after: 'c1' } } }
        : { data: [video(2, { title: 'A long one', length: 7_200 })], paging: { cursors: { after: 'c2' } } },
  });
  await open('/videos');
  const titles = async (): Promise<string[]> =>
    (await page.getByRole('list', { name: 'Videos' }).getByRole('link').allTextContents()).map(
      (text) => /Talk \d|A long one/.exec(text)?.[0] ?? '',
    );
  await page.getByRole('link', { name: /Talk 9.*Broadcast.*Live/ }).waitFor();
  expect(await titles()).toEqual(['Talk 9', 'Talk 8']);
  await page.getByLabel('Find videos by title, owner or ID').fill('long');
  await page.getByText('None of the newest 2 videos').waitFor();
  await page.getByRole('button', { name: 'Show older videos' }).click();
  await page.getByRole('link', { name: /A long one/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Show older videos' }).count()).toBe(0);
  await page.getByLabel('Find videos by title, owner or ID').fill('');
  await page.getByLabel('Order').selectOption('Longest first');
  expect(await titles()).toEqual(['A long one', 'Talk 9', 'Talk 8']);
  await page.getByLabel('State').selectOption('Failed');
  expect(await titles()).toEqual(['Talk 8']);
  await page.getByLabel('Kind').selectOption('Recordings');
  await page.getByText('None of the 3 videos').waitFor();
  await page.getByRole('button', { name: 'Show all videos' }).click();
  expect(await titles()).toEqual(['Talk 9', 'Talk 8', 'A long one']);
  await screenshot(page, 'studio-videos');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  await until(() =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
  );
  expect(faults).toEqual([]);
});

inFull('a sign-in link signs in also in a tab that shows the sign-in page already', async () => {
  await harness.live('1', { title: 'Evening news', streamSinceMs: Date.now() });
  await page.goto(`${harness.httpUrl}/dashboard/`);
  await page.getByLabel('Access token').waitFor();
  await page.goto(`${harness.httpUrl}/dashboard/#/sign-in/${'a'.repeat(43)}`);
  await page.getByRole('link', { name: /Evening news/ }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/');
  expect(faults).toEqual([]);
});

inFull('Esc closes a dialog and gives the focus back to the button that opened it', async () => {
  await answer({});
  await harness.live('1', { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() });
  await open('/broadcasts/1');
  const end = page.getByRole('button', { name: 'End broadcast' });
  await end.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Keep streaming' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await end.and(page.locator(':focus')).waitFor();
  expect(faults).toEqual([]);
});

test('two encoders stand side by side: which one is on air, and what a switch will do', async () => {
  let isPut = false;
  await answer({});
  await page.route(`**/${INPUTS[1]}`, async (route) => {
    isPut = route.request().postData() === 'on_air=true';
    harness.inputsAre('1', 1);
    await route.fulfill({ json: { success: true } });
  });
  await harness.live('1', {
    status: 'LIVE',
    stream: 'connected',
    broadcastStartMs: Date.now(),
    inputStreamIds: INPUTS,
  });
  await open('/broadcasts/1');
  const card = page.getByRole('region', { name: 'Two encoders' });
  const [primary, backup] = ['Primary', 'Backup'].map((name) => card.getByRole('article', { name }));
  await primary!.getByText('Not connected').waitFor();
  harness.inputsAre('1', 0, { openErrors: [6304] });
  await harness.raise('1', 1, { ...MONO, input_stream: INPUTS[1] });
  await primary!.getByText('On air').waitFor();
  await backup!.getByText('Lavf60.16.100 · 1280×720 · 30 fps · 2,512 kbps · 44.1 kHz').waitFor();
  await page.getByText('Fair: 1 warning').waitFor();
  await page.getByRole('heading', { name: 'Backup: Audio is not stereo' }).waitFor();
  await page
    .getByRole('listitem')
    .getByText(/stream time .* · Backup$/)
    .waitFor();
  await backup!.getByRole('button', { name: 'Put on air' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Put the backup encoder on air?' });
  await dialog.getByText('The primary encoder then stands by, and stays connected.').waitFor();
  await screenshot(page, 'two-encoders-question');
  await dialog.getByRole('button', { name: 'Put on air' }).click();
  await backup!.getByText('On air').waitFor();
  expect(isPut).toBe(true);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await screenshot(page, `two-encoders-${colorScheme}-${width}`);
    }
  }
  expect(faults).toEqual([]);
});

test('what to change is applied in OBS: by its own settings where it asked for them, otherwise by a profile', async () => {
  const asked: string[] = [];
  await answer({});
  await page.route(/\/dashboard\/api\/[12](\/obs_profile)?(\?|$)/, async (route) => {
    const request = route.request();
    const { pathname: whole, searchParams } = new URL(request.url());
    const pathname = whole.slice('/dashboard/api'.length);
    if (request.method() === 'POST') asked.push(`POST ${pathname} ${request.postData()}`);
    else if (pathname.endsWith('/obs_profile')) asked.push(`GET ${pathname} ${searchParams.get('profile')}`);
    else return route.fallback();
    await route.fulfill({ json: { success: true } });
  });
  const data = { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() } as const;
  const setup = { configId: 'c', atMs: Date.now(), ownerId: '7', client: 'obs-studio 32.0.0' };
  const pictures = { width: 1920, height: 1080, fps: 30, videoKbps: 4_500 };
  await harness.live('1', data);
  await harness.live('2', { ...data, encoderSetup: { ...setup, ...pictures }, isSetUp: true });
  for (const id of ['1', '2']) {
    harness.health.set(id, { ...HEALTH, width: 1920, height: 1080 });
    await harness.raise(id, 1, MONO);
  }
  const apply = page.getByRole('button', { name: 'Apply in OBS' });
  await open('/broadcasts/1');
  await apply.click();
  await page.getByText('Airlock-1').first().waitFor();
  expect(asked.splice(0)).toEqual(['GET /1/obs_profile 1080p30']);
  await screenshot(page, 'dashboard-apply-in-obs');

  await page.goto(`${harness.httpUrl}/dashboard/#/broadcasts/2`);
  await page.getByRole('heading', { name: 'Broadcast 2' }).waitFor();
  await apply.click();
  await page.getByRole('button', { name: 'Change settings' }).last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(asked).toEqual([expect.stringMatching(/^POST \/2 .*retune_encoder/s)]);

  // A network is not a setting, and another encoder has its own words.
  harness.health.set('2', { ...HEALTH, encoder: 'FFmpeg' });
  await apply.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a recording says what to change with the values of its frame rate', async () => {
  const description = '[6208 KEY_FRAME_INTERVAL_TOO_LONG] No key frame for 4.07 s.';
  const remediation = 'With ffmpeg: -g 60 at 30 fps (-g 120 at 60 fps).';
  await harness.live('1', { status: 'VOD', stream: 'ended' });
  await harness.raise('1', 1, { ...MONO, error_code: 6208, error_type: 'KEY_FRAME', description, remediation });
  const errors = await harness.subscribe({ broadcasts: ['1'] });
  const { records } = await errors.next('records', (message) => message.records.length > 0);
  await answer({
    '/10': () => ({ id: '10', title: 'Evening news', status: { video_status: 'ready' }, live_video: { id: '1' } }),
    '/10/errors': () => ({ data: records }),
  });
  await page.route('**/dashboard/api/data/history/1', (route) =>
    route.fulfill({ json: { step: 1, columns: ['at', 'frame_rate_class'], points: [[1, 60]] } }),
  );
  await open('/videos/10');
  await page.getByRole('heading', { name: 'What to change' }).waitFor();
  await page.getByText('-g 120', { exact: true }).waitFor();
  expect(await page.getByText('at 30 fps').count()).toBe(0);
  expect(faults).toEqual([]);
});

const YESTERDAY = Date.now() - 86_400_000;

/** Live for a minute, with charts of it. */
async function onAir(over: object = {}): Promise<void> {
  await answer({});
  await page.route('**/dashboard/api/data/history/1', (route) =>
    route.fulfill({
      json: {
        step_ms: 2_000,
        columns: [
          'at',
          'video_kbps',
          'video_kbps_min',
          'video_kbps_max',
          'audio_kbps',
          'frame_rate',
          'key_frame_interval_ms',
          'width',
          'height',
        ],
        points: Array.from({ length: 30 }, (_, at) => [
          Date.now() - 60_000 + at * 2_000,
          2_400 + at,
          2_300,
          2_600,
          128,
          30,
          2_000,
          1_280,
          720,
        ]),
      },
    }),
  );
  harness.health.set('1', HEALTH);
  const broadcastStartMs = Date.now() - 60_000;
  await harness.live('1', { status: 'LIVE', stream: 'connected', broadcastStartMs, ...over });
}

/** Counts what a screen reader would be told: changes inside of live regions. */
const COUNT_SPOKEN = `
  window.spoken = [];
  const LIVE = '[role=status], [role=alert], [aria-live=polite], [aria-live=off]';
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
      if (element?.closest(LIVE)?.matches(':not([aria-live=off])')) window.spoken.push(element.closest(LIVE).textContent);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

inFull('live regions say nothing while a stream is steady, though its values change twice a second', async () => {
  await onAir();
  await harness.raise('1', 1, { ...MONO, timestampMs: Date.now() });
  await open('/broadcasts/1');
  await page.getByRole('heading', { name: 'Audio is not stereo' }).first().waitFor();
  await page.evaluate(COUNT_SPOKEN);
  for (let change = 0; change < 20; change++) {
    harness.health.set('1', { ...HEALTH, atMs: Date.now(), videoBitrateKbps: 2_500 + change });
    await page
      .getByText(`${(2_500 + change).toLocaleString('en')} kbps`)
      .first()
      .waitFor();
  }
  expect((await page.evaluate<string[]>('window.spoken')).length).toBeLessThanOrEqual(2);
  // It speaks once something happens.
  await harness.raise('1', 1, { ...MONO, error_code: 6303, error_type: 'AUDIO_SAMPLE_RATE' });
  await until(() => page.evaluate<boolean>(`window.spoken.some((text) => text.includes('2 errors'))`));
  expect(faults).toEqual([]);
});

test('a stream without errors shows averages beside the picture, ranges, and each chart as a table', async () => {
  await onAir();
  await open('/broadcasts/1');
  const averages = page.getByRole('region', { name: 'Averages' });
  await averages.getByRole('row', { name: /^Video bitrate 2,41\d kbps 2,400 to 2,\d+$/ }).waitFor();
  const row = page.getByRole('row', { name: /^OK Bitrate 1,500 to 4,000 kbps/ });
  await row.waitFor();
  expect(await row.locator('[data-range]').count()).toBe(1);
  await page.getByText('Values of the chart Key frame interval').click();
  const table = page.getByRole('region', { name: 'Values of Key frame interval' });
  await table.getByRole('columnheader', { name: 'Key frame interval (s)' }).waitFor();
  expect(await table.getByRole('row').count()).toBeGreaterThan(25);
  // The column stays beside the charts.
  await page.getByRole('heading', { name: 'Error log' }).scrollIntoViewIfNeeded();
  expect((await averages.boundingBox())?.y ?? -1).toBeGreaterThan(-900);
  await page.getByRole('heading', { name: 'Specification' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    await screenshot(page, `studio-well-${colorScheme}`);
  }
  expect(faults).toEqual([]);
});

test('before the first still a place is kept for it, and nothing stands on the picture', async () => {
  await onAir();
  await open('/broadcasts/1');
  const expected = page.getByRole('img', { name: 'The first picture is loading' });
  await expected.waitFor();
  const jpeg = Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  );
  harness.stills.set('1', { jpeg, ageMs: 0 });
  const still = page.getByRole('img', { name: 'Broadcast 1, seconds ago' });
  await still.waitFor();
  const picture = await still.boundingBox();
  const watch = await page.getByRole('button', { name: 'Watch', exact: true }).boundingBox();
  expect(watch?.y).toBeGreaterThanOrEqual((picture?.y ?? 0) + (picture?.height ?? 0));
  expect(faults).toEqual([]);
});

test('a phone shows the remedy of the first error within two screens, one row of header, and folded sections', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await onAir({ title: 'Sunday morning service of the parish, with the choir and the new organ' });
  await harness.raise('1', 1, MONO);
  await open('/broadcasts/1');
  const remedy = page.getByText('Settings, Audio: set Channels to Stereo.').first();
  await remedy.waitFor();
  const box = await remedy.boundingBox();
  expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThanOrEqual(2 * 740);
  expect(await page.locator('header').evaluate((header: { clientHeight: number }) => header.clientHeight)).toBeLessThan(
    60,
  );
  const topOf = async (name: string): Promise<number> =>
    (await page.getByRole('region', { name, exact: true }).boundingBox())?.y ?? 0;
  expect(await topOf('Specification')).toBeLessThan(await topOf('Polls'));
  const tooWide = () =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(await tooWide()).toBe(0);
  for (const name of ['Timeline', 'Error log', 'Comments', 'Forwards', 'Polls']) {
    const section = page.getByRole('region', { name, exact: true });
    expect([name, await section.getByRole('group').evaluate((details: { open: boolean }) => details.open)]).toEqual([
      name,
      false,
    ]);
    await section.getByRole('heading', { name }).click();
  }
  await page.getByRole('img', { name: /^Video bitrate: / }).waitFor();
  expect(await tooWide()).toBe(0);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Check a file' }).waitFor();
  expect(await tooWide()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Menu' }).and(page.locator(':focus')).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    await screenshot(page, `studio-phone-${colorScheme}`);
  }
  expect(faults).toEqual([]);
});

inFull('header and content share their edges on a wide screen', async () => {
  await page.setViewportSize({ width: 1920, height: 900 });
  await harness.live('1', { title: 'Evening news' });
  await open('/');
  const left = async (selector: string): Promise<number> =>
    (await page.locator(selector).first().boundingBox())?.x ?? -1;
  expect(await left('header a')).toBe(await left('main h1'));
});

test('the focus stays where it was while a button waits, and near it when the button vanishes', async () => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await answer({
    '/1/polls': () => ({
      data: [{ id: '5', question: 'Tea?', status: 'voting_open', poll_options: { data: [{ id: '51', text: 'Yes' }] } }],
    }),
  });
  await page.route(/\/5$/, async (route) => {
    await held;
    await route.fulfill({ json: { success: true } });
  });
  await harness.live('1', { status: 'LIVE', stream: 'connected', broadcastStartMs: YESTERDAY });
  await open('/broadcasts/1');
  const close = page.getByRole('button', { name: 'Show results' });
  await close.focus();
  await page.keyboard.press('Enter');
  await close.and(page.locator('[aria-disabled=true]:focus')).waitFor();
  // Pressed again meanwhile, it does nothing.
  await page.keyboard.press('Enter');
  go();
  await close.and(page.locator('[aria-disabled=false]:focus')).waitFor();

  await page.route(/\/1\/polls\?/, (route) => route.fulfill({ json: { data: [] } }));
  await close.press('Enter');
  await close.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Polls' }).and(page.locator(':focus')).waitFor();
  expect(faults).toEqual([]);
});

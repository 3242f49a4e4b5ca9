/** The dock page in Chromium, fed by the real feed on a real store. */
import type { Browser, Page } from 'playwright-core';
import { buildPages, faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { FeedWorld, HEALTH } from './feed-world.js';

let pages: Awaited<ReturnType<typeof buildPages>>;
let browser: Browser;
let world: FeedWorld;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [pages, browser] = await Promise.all([buildPages(), launchBrowser()]);
});

afterAll(async () => {
  await browser.close();
  pages.remove();
});

beforeEach(async () => {
  world = await FeedWorld.open(pages.root);
  page = await browser.newPage({ viewport: { width: 300, height: 900 } });
  faults = faultsOf(page);
  world.tokens.set('dock', world.viewer([], { broadcastIds: ['1'], mayRead: async (live) => live.id === '1' }));
});

afterEach(async () => {
  await page.close();
  await world.close();
});

const KEY_FRAMES = {
  description:
    '[6208 KEY_FRAME_INTERVAL_TOO_LONG] No key frame for 8.33 s; the interval must not exceed 4 s. Settings, Output, Output Mode Advanced: set Keyframe Interval to 2 s.',
  remediation: 'Settings, Output, Output Mode Advanced: set Keyframe Interval to 2 s.',
  stream_time_ms: 12_400,
};

const MONO = {
  error_code: 6304,
  error_type: 'AUDIO_CHANNELS_NOT_STEREO',
  description: '[6304 AUDIO_CHANNELS_NOT_STEREO] The audio has 1 channel; it must be stereo.',
  remediation: 'Settings, Audio: set Channels to Stereo.',
};

const HIGH = {
  error_code: 6306,
  error_type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
  severity: 'warning' as const,
  description: '[6306 AUDIO_BITRATE_ABOVE_PREFERRED] The audio bitrate is 160 kbps; 128 kbps is preferred.',
  remediation: 'Settings, Output: set Audio Bitrate to 128.',
};

const open = (fragment: string): Promise<unknown> => page.goto(`${world.httpUrl}/dock/#${fragment}`);

test('waits for the encoder, shows what is observed, shows an error while it lasts, and needs no reload', async () => {
  await world.live('1', { title: 'Sunday concert' });
  await open('1.dock');
  await page.getByText('Waiting for stream').waitFor();
  await screenshot(page, 'dock-waiting');

  world.health.set('1', HEALTH);
  await world.live('1', {
    title: 'Sunday concert',
    status: 'LIVE',
    stream: 'connected',
    broadcastStartMs: Date.now() - 754_000,
  });
  await page.getByText('All is as it should be').waitFor();
  await page
    .getByRole('row', { name: /Bit rate.*1,500 to 4,000 kbps/ })
    .getByText('2,512 kbps')
    .waitFor();
  await screenshot(page, 'dock-good');

  world.health.set('1', { ...HEALTH, keyFrameIntervalMs: 8_330, channels: 1 });
  const [first] = await world.raise('1', 1, { ...KEY_FRAMES, timestampMs: Date.now() });
  await world.raise('1', 1, { ...MONO, timestampMs: Date.now() });
  await world.raise('1', 1, { ...HIGH, timestampMs: Date.now() });
  await page.getByText('set Keyframe Interval to 2 s').waitFor();
  await page.getByText('2 rules broken, 1 warning').waitFor();
  await page.getByText('8.33 s', { exact: true }).waitFor();
  await screenshot(page, 'dock-errors');

  await world.clear({ ...first!, cleared_time_ms: null });
  await page.getByText('1 rule broken, 1 warning').waitFor();
  await page.getByRole('heading', { name: 'Over again' }).waitFor();
  expect(await page.getByText('set Keyframe Interval to 2 s').count()).toBe(0);
  await screenshot(page, 'dock-cleared');
  expect(faults).toEqual([]);
});

test('says that it reconnects, and goes on with what it missed when the server is back', async () => {
  await world.live('1');
  world.health.set('1', HEALTH);
  await open('1.dock');
  await page.getByText('All is as it should be').waitFor();
  const { port, tokens } = world;
  await world.close();
  await page.getByText(/^Reconnecting/).waitFor();
  await screenshot(page, 'dock-reconnecting');

  world = await FeedWorld.open(pages.root, port, tokens);
  await world.live('1');
  await world.raise('1', 1, { ...KEY_FRAMES, timestampMs: Date.now() });
  await page.getByText('set Keyframe Interval to 2 s').waitFor();
  await page.getByText(/^Reconnecting/).waitFor({ state: 'detached' });
});

test('tells why a broadcast was ended, and what was broken in it', async () => {
  await world.live('1', {
    status: 'LIVE_STOPPED',
    stream: 'ended',
    endedMs: Date.now(),
    endReason: {
      code: 6501,
      type: 'DURATION_EXCEEDED',
      text: '[6501 DURATION_EXCEEDED] The broadcast has lasted 8 h, the longest that is allowed. Start a new one.',
    },
  });
  const [record] = await world.raise('1', 1, KEY_FRAMES);
  await world.clear(record!);
  await open('1.dock');
  await page.getByText('The broadcast was ended.').waitFor();
  await page.getByRole('heading', { name: 'What was broken' }).waitFor();
  await screenshot(page, 'dock-ended');
  expect(faults).toEqual([]);
});

test.each([
  ['without a token', '', 'This link is not complete'],
  ['with a token that no longer works', '1.gone', 'This link no longer works'],
  ['to another broadcast', '2.dock', 'This broadcast is not there'],
])('a link %s says what to do', async (name, fragment, title) => {
  await open(fragment);
  await page.getByRole('heading', { name: title }).waitFor();
  await screenshot(page, `dock-link-${name.replaceAll(' ', '-')}`);
});

test('a link whose token is revoked while it is open stops showing the broadcast', async () => {
  await world.live('1');
  await open('1.dock');
  await page.getByText('Waiting for stream').waitFor();
  world.tokens.delete('dock');
  world.store.bus.publish('tokens', { id: '1' });
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

test('the token in the link goes into no request', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  page.on('websocket', (socket) => requests.push(socket.url()));
  await world.live('1');
  world.tokens.set('very-secret', world.viewer([], { broadcastIds: ['1'], mayRead: async () => true }));
  await open('1.very-secret');
  await page.getByText('Waiting for stream').waitFor();
  expect(requests.length).toBeGreaterThan(2);
  expect(requests.filter((request) => request.includes('very-secret'))).toEqual([]);
});

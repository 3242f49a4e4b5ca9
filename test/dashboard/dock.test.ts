/** The dock page in Chromium with the real feed and store. */

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityFaults, buildPages, faultsOf, launchBrowser, screenshot, signIn } from '../support/browser.js';
import { inFull } from '../support/in-full.js';
import { until } from '../support/store-harness.js';
import { FeedHarness, HEALTH, INPUTS } from './feed-harness.js';
import { MONO } from './pages-harness.js';

let pages: Awaited<ReturnType<typeof buildPages>>;
let browser: Browser;
let context: BrowserContext;
let harness: FeedHarness;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [pages, browser] = await Promise.all([buildPages(), launchBrowser()]);
  context = await browser.newContext({ viewport: { width: 300, height: 900 } });
});

afterAll(async () => {
  await browser.close();
  pages.remove();
});

beforeEach(async () => {
  harness = await FeedHarness.open(pages.root);
  page = await context.newPage();
  faults = faultsOf(page);
  harness.tokens.set('dock', harness.viewer([], { broadcastIds: ['1'], mayRead: async (live) => live.id === '1' }));
});

afterEach(async () => {
  await page.close();
  await harness.close();
});

const KEY_FRAMES = {
  description:
    '[6208 KEY_FRAME_INTERVAL_TOO_LONG] No key frame for 8.33 s; the interval must not exceed 4 s. Settings, Output, Output Mode Advanced: set Keyframe Interval to 2 s.',
  remediation: 'Settings, Output, Output Mode Advanced: set Keyframe Interval to 2 s.',
  stream_time_ms: 12_400,
};

const HIGH = {
  error_code: 6306,
  error_type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
  severity: 'warning' as const,
  description: '[6306 AUDIO_BITRATE_ABOVE_PREFERRED] The audio bitrate is 160 kbps; 128 kbps is preferred.',
  remediation: 'Settings, Output: set Audio Bitrate to 128.',
};

const open = (fragment: string): Promise<unknown> => page.goto(`${harness.httpUrl}/dock/#${fragment}`);

test('shows state, observed values and open errors as they change, without a reload', async () => {
  await harness.live('1', { title: 'Sunday concert' });
  await open('1.dock');
  await page.getByText('Waiting for stream').waitFor();
  await screenshot(page, 'dock-waiting');

  harness.health.set('1', HEALTH);
  await harness.live('1', {
    title: 'Sunday concert',
    status: 'LIVE',
    stream: 'connected',
    broadcastStartMs: Date.now() - 754_000,
  });
  await page.getByText('Stream healthy: all checks pass.').waitFor();
  await page
    .getByRole('row', { name: /Bitrate.*1,500 to 4,000 kbps/ })
    .getByText('2,512 kbps')
    .waitFor();
  await screenshot(page, 'dock-good');

  harness.health.set('1', { ...HEALTH, keyFrameIntervalMs: 8_330, channels: 1 });
  const [first] = await harness.raise('1', 1, { ...KEY_FRAMES, timestampMs: Date.now() });
  await harness.raise('1', 1, { ...MONO, timestampMs: Date.now() });
  await harness.raise('1', 1, { ...HIGH, timestampMs: Date.now() });
  await page.getByText('set Keyframe Interval to 2 s').waitFor();
  await page.getByText('2 errors, 1 warning').waitFor();
  await page.getByText('8.33 s', { exact: true }).waitFor();
  await screenshot(page, 'dock-errors');

  await harness.clear({ ...first!, cleared_time_ms: null });
  await page.getByText('1 error, 1 warning').waitFor();
  await page.getByRole('heading', { name: 'Recently cleared' }).waitFor();
  expect(await page.getByText('set Keyframe Interval to 2 s').count()).toBe(0);
  await screenshot(page, 'dock-cleared');
  expect(faults).toEqual([]);
});

inFull('counts the forwards of the broadcast and those of its owner, and names those that fail', async () => {
  await harness.live('1', { status: 'LIVE', stream: 'connected', title: 'Sunday concert' });
  await harness.forward('71', '1');
  await harness.forward('72', '7');
  await open('1.dock');
  await page.getByText('Forwards: 0 of 2 sending').waitFor();
  await harness.forwardIs('71', '1', 'sending');
  await harness.forwardIs('72', '1', 'sending');
  await page.getByText('Forwards: 2 of 2 sending').waitFor();
  await harness.forwardIs('72', '1', 'refused');
  await page.getByText('Forwards: 1 of 2 failing').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await screenshot(page, 'dock-forwards');
  expect(faults).toEqual([]);
});

inFull(
  'shows both encoders side by side, and puts the other one on air after it has said what will happen',
  async () => {
    await harness.live('1', { status: 'LIVE', stream: 'connected', title: 'Sunday concert', inputStreamIds: INPUTS });
    harness.inputsAre('1', 0, { openErrors: [6304] });
    await harness.raise('1', 1, { ...MONO, timestampMs: Date.now(), input_stream: INPUTS[1] });
    await open('1.dock');
    const [primary, backup] = ['Primary', 'Backup'].map((name) => page.getByRole('article', { name }));
    await primary!.getByText('On air').waitFor();
    await backup!.getByText('1 open error').waitFor();
    // To the broadcast, an error of the encoder that stands by is a warning.
    await page.getByText('Fair: 1 warning').waitFor();
    await page.getByRole('heading', { name: 'Backup: Audio is not stereo' }).waitFor();
    expect(await page.getByRole('button', { name: 'Put on air' }).count()).toBe(0);

    const crew = harness.tokens.get('dock')!;
    harness.tokens.set('crew', { ...crew, mayPutOnAir: true });
    const asked: (string | null)[] = [];
    await page.route(`**/${INPUTS[1]}`, async (route) => {
      const request = route.request();
      asked.push(request.method(), await request.headerValue('authorization'), request.postData());
      harness.inputsAre('1', 1);
      await route.fulfill({ json: { success: true } });
    });
    await open('1.crew');
    // The feed sends what has changed.
    harness.inputsAre('1', 0, { openErrors: [6304, 6208] });
    await backup!.getByText('2 open errors').waitFor();
    await backup!.getByRole('button', { name: 'Put on air' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Put the backup encoder on air?' });
    await dialog.getByText('Viewers, recording and forwards switch to it at its next key frame.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await screenshot(page, 'dock-put-on-air');
    await dialog.getByRole('button', { name: 'Put on air' }).click();
    await backup!.getByText('On air').waitFor();
    await primary!.getByRole('button', { name: 'Put on air' }).waitFor();
    expect(asked).toEqual(['POST', 'Bearer crew', 'on_air=true']);
    harness.health.delete(INPUTS[0]);
    await primary!.getByText('Not connected').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await screenshot(page, 'dock-inputs');
    await page.goto(`${harness.httpUrl}/dock/?theme=dark#1.crew`);
    harness.inputsAre('1', 1, { openErrors: [6304] });
    await primary!.getByRole('button', { name: 'Put on air' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await screenshot(page, 'dock-inputs-dark');
    expect(faults).toEqual([]);
  },
);

test('shows that it is reconnecting, and catches up once the server is back', async () => {
  await harness.live('1');
  harness.health.set('1', HEALTH);
  await open('1.dock');
  await page.getByText('Stream healthy: all checks pass.').waitFor();
  const { port, tokens } = harness;
  await harness.close();
  await page.getByText(/^Reconnecting/).waitFor();
  await screenshot(page, 'dock-reconnecting');

  harness = await FeedHarness.open(pages.root, port, tokens);
  await harness.live('1');
  await harness.raise('1', 1, { ...KEY_FRAMES, timestampMs: Date.now() });
  await page.getByText('set Keyframe Interval to 2 s').waitFor();
  await page.getByText(/^Reconnecting/).waitFor({ state: 'detached' });
});

test('shows why a broadcast was ended, and its errors', async () => {
  await harness.live('1', {
    status: 'LIVE_STOPPED',
    stream: 'ended',
    endedMs: Date.now(),
    endReason: {
      code: 6501,
      type: 'DURATION_EXCEEDED',
      text: '[6501 DURATION_EXCEEDED] The broadcast has lasted 8 h, the longest that is allowed. Start a new one.',
    },
  });
  const [record] = await harness.raise('1', 1, KEY_FRAMES);
  await harness.clear(record!);
  await open('1.dock');
  await page.getByText('The broadcast was ended.').waitFor();
  await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
  await screenshot(page, 'dock-ended');
  expect(faults).toEqual([]);
});

inFull('is dark in OBS, as the link says elsewhere, and fits from 260 to 600 pixels', async () => {
  await harness.live('1', { title: 'Sunday concert' });
  const inObs = await browser.newPage({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/127.0.0.0 OBS/31.0.0' });
  const shown = async (query: string, each: Page): Promise<unknown> => {
    await each.goto(`${harness.httpUrl}/dock/${query}#1.dock`);
    await each.getByText('Waiting for stream').waitFor();
    return each.evaluate('document.documentElement.dataset.theme');
  };
  expect([await shown('', inObs), await shown('?theme=light', inObs)]).toEqual(['dark', 'light']);
  await inObs.close();
  expect([await shown('', page), await shown('?theme=dark', page)]).toEqual(['light', 'dark']);
  for (const width of [260, 600]) {
    await page.setViewportSize({ width, height: 700 });
    await until(() =>
      page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    );
    expect(await accessibilityFaults(page)).toEqual([]);
  }
});

test.each([
  ['without a token', '', 'Incomplete link'],
  ['with an expired token', '1.gone', 'This link has expired or was revoked'],
  ['to another broadcast', '2.dock', 'Broadcast not found'],
])('a link %s shows what to do', async (name, fragment, title) => {
  await open(fragment);
  await page.getByRole('heading', { name: title }).waitFor();
  await screenshot(page, `dock-link-${name.replaceAll(' ', '-')}`);
});

test('stops showing the broadcast when the link is revoked', async () => {
  await harness.live('1');
  await open('1.dock');
  await page.getByText('Waiting for stream').waitFor();
  harness.tokens.delete('dock');
  harness.store.bus.publish('tokens', { id: '1' });
  await page.getByRole('heading', { name: 'This link has expired or was revoked' }).waitFor();
});

test('the token of the link is not in any request', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  page.on('websocket', (socket) => requests.push(socket.url()));
  await harness.live('1');
  harness.tokens.set('very-secret', harness.viewer([], { broadcastIds: ['1'], mayRead: async () => true }));
  await open('1.very-secret');
  await page.getByText('Waiting for stream').waitFor();
  expect(requests.length).toBeGreaterThan(2);
  expect(requests.filter((request) => request.includes('very-secret'))).toEqual([]);
});

test('the operator hears both sounds of a copyright match and dismisses it; the page is for operators', async () => {
  harness.tokens.set('operator', harness.viewer([], { isOperator: true, ownerId: '9' }));
  const open = async (token: string): Promise<void> => {
    await signIn(page.context(), harness.httpUrl, token);
    await page.goto(`${harness.httpUrl}/dashboard/`);
  };
  await page.setViewportSize({ width: 1_280, height: 800 });
  await open('operator');
  await page.getByRole('link', { name: 'Copyright' }).click();
  await page.getByText('The owner disputes it: We have a license.').waitFor();
  const subject = page.getByRole('link', { name: 'Open the video' });
  expect(await subject.getAttribute('href')).toBe('#/videos/1');
  await page.getByRole('region', { name: 'Broadcast or video' }).getByRole('button', { name: 'Listen' }).click();
  await page.locator('audio[src^="blob:"]').waitFor();
  await page.getByRole('region', { name: 'Reference' }).getByRole('button', { name: 'Listen' }).click();
  await page.getByText('The video is gone.').waitFor();
  await screenshot(page, 'copyright-matches');
  await page.getByRole('button', { name: 'Dismiss match' }).click();
  await page.getByText('Dismissed', { exact: true }).waitFor();
  await open('page-7');
  await page.goto(`${harness.httpUrl}/dashboard/#/matches`);
  await page.getByText('This page is for the operator').waitFor();
  expect(await page.getByRole('link', { name: 'Copyright' }).count()).toBe(0);
  // The browser logs each answer of 403 and 404.
  expect(faults.filter((fault) => !/status of 40[34]/.test(fault))).toEqual([]);
});

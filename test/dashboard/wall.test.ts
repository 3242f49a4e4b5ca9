/** The wall in Chromium, with the real feed and store: a link that shows what is on air, and reads nothing else. */

import { accessibilityFaults, screenshot, signIn } from '../support/browser.js';
import { inFull } from '../support/in-full.js';
import { until } from '../support/store-harness.js';
import { HEALTH } from './feed-harness.js';
import { browser, faults, harness, MONO, openPages, page } from './pages-harness.js';

openPages({ width: 1280, height: 800 });

const ON_AIR = { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() - 600_000 } as const;

async function open(): Promise<void> {
  harness.tokens.set('wall-7', harness.viewer(['7'], { isWall: true }));
  await page.goto(`${harness.httpUrl}/dashboard/wall/#wall-7`);
}

const titles = () => page.getByRole('listitem').locator('[dir=auto]').allTextContents();

test('all that is on air is shown, the worst first and large, with its levels and its bitrate against the range', async () => {
  for (const id of ['1', '2', '3']) {
    await harness.live(id, ON_AIR);
    harness.health.set(id, { ...HEALTH, channelLufs: [-20, -21] });
  }
  await harness.live('4');
  await harness.live('5', { status: 'VOD' });
  await open();
  await page.getByRole('heading', { name: '3 on air' }).waitFor();
  await until(async () => (await titles()).join() === 'Broadcast 1,Broadcast 2,Broadcast 3');
  await harness.raise('3', 1, MONO);
  await page.getByRole('heading', { name: '3 on air, 1 with errors' }).waitFor();
  expect(await titles()).toEqual(['Broadcast 3', 'Broadcast 1', 'Broadcast 2']);
  const [worst, quiet] = await page.getByRole('listitem').all();
  expect(await worst?.textContent()).toContain('Audio is not stereo');
  expect(await worst?.textContent()).toContain('Poor');
  expect(await quiet?.textContent()).toMatch(/kbps/);
  const [large, small] = [await worst?.boundingBox(), await quiet?.boundingBox()];
  expect((large?.width ?? 0) / (small?.width ?? 1)).toBeGreaterThan(1.9);
  // It opens nothing.
  expect(await page.locator('main a').count()).toBe(0);
  await screenshot(page, 'wall');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(faults).toEqual([]);
});

test('it sounds for a new error only once a person has allowed it', async () => {
  await page.addInitScript(`
    window.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (at) { window.tones++; return start.call(this, at); };
  `);
  await harness.live('1', ON_AIR);
  await open();
  await page.getByRole('heading', { name: '1 on air' }).waitFor();
  await harness.raise('1', 1, MONO);
  await page.getByRole('heading', { name: '1 with errors' }).waitFor();
  expect(await page.evaluate('window.tones')).toBe(0);
  await page.keyboard.press('m');
  await page.getByRole('button', { name: 'Sound is on' }).waitFor();
  expect(await page.evaluate('window.tones')).toBe(2);
  await harness.raise('1', 1, MONO);
  await until(() => page.evaluate<boolean>('window.tones === 4'));
  expect(faults).toEqual([]);
});

test('the token of its link reads the feed, the list of what runs and stills, and nothing else', async () => {
  await harness.live('1', ON_AIR);
  harness.tokens.set('wall-7', harness.viewer(['7'], { isWall: true, readsAll: true }));
  const asked = async (path: string, method = 'GET') => {
    const headers = { authorization: 'Bearer wall-7' };
    return (await fetch(`${harness.httpUrl}/dashboard/data/${path}`, { method, headers })).status;
  };
  expect(await Promise.all(['viewer', 'running', 'stills/1'].map((path) => asked(path)))).toEqual([200, 200, 204]);
  const others = ['broadcasts', 'server', 'history/1', 'matches', 'report-links/1', 'wall-links'];
  expect(await Promise.all(others.map((path) => asked(path)))).toEqual(others.map(() => 403));
  expect(await Promise.all(['dock-links/1', 'wall-links'].map((path) => asked(path, 'POST')))).toEqual([403, 403]);
});

inFull('a button of the list opens it, and a link that has ended says so', async () => {
  await harness.live('1', ON_AIR);
  harness.tokens.set('wall-7', harness.viewer(['7'], { isWall: true }));
  await signIn(page.context(), harness.httpUrl, 'page-7');
  await page.goto(`${harness.httpUrl}/dashboard/`);
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Wall' }).click(),
  ]);
  await opened.getByRole('heading', { name: '1 on air' }).waitFor();
  expect(browser.contexts().length).toBe(1);
  await opened.goto(`${harness.httpUrl}/dashboard/wall/#ended`);
  await opened.getByRole('heading', { name: 'This link has ended' }).waitFor();
  await opened.goto(`${harness.httpUrl}/dashboard/wall`);
  await opened.getByRole('heading', { name: 'Incomplete link' }).waitFor();
});

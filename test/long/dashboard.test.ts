/**
 * The dashboard at its bounds: the overview with 200 running broadcasts, and the dock over eight hours of a broadcast that keeps
 * breaking rules, in minutes. What was measured is printed.
 */
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { SYSTEM_EDGES } from '../../src/ports/index.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import { FeedHarness, HEALTH } from '../dashboard/feed-harness.js';
import { faultsOf, launchBrowser, screenshot } from '../support/browser.js';

const PAGES = fileURLToPath(new URL('../../dist/dashboard/web/', import.meta.url));

let browser: Browser;
let harness: FeedHarness;
let page: Page;
let faults: string[];

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => browser.close());

beforeEach(async () => {
  harness = await FeedHarness.open(PAGES);
  page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  faults = faultsOf(page);
});

afterEach(async () => {
  await page.close();
  await harness.close();
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const MONO = {
  error_code: 6304,
  error_type: 'AUDIO_CHANNELS_NOT_STEREO',
  description: '[6304 AUDIO_CHANNELS_NOT_STEREO] The audio has 1 channel; it must be stereo.',
  remediation: 'Settings, Audio: set Channels to Stereo.',
};

const RUNNING = 200;
const WATCHED_S = 20;
/** As the page is moved in a second of scrolling. */
const WHEEL_PX = 240;

/** Long tasks and the time between frames, from now on. */
const OBSERVE = `
  window.long = [];
  window.frames = [];
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: 'longtask' });
  let last = performance.now();
  const frame = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;

test('200 running broadcasts change twice a second without a task that the eye would notice', async () => {
  harness.tokens.set('all', harness.viewer([], { readsAll: true, mayRead: async () => true }));
  const ids = Array.from({ length: RUNNING }, (_, index) => String(index + 1));
  const now = { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() } as const;
  for (const id of ids) {
    await harness.live(id, now);
    await harness.store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.connected, member: id, score: Number(id) }]);
    if (Number(id) % 5 === 0) await harness.raise(id, 1, MONO);
  }
  const change = (): void => {
    for (const id of ids) harness.health.set(id, { ...HEALTH, videoBitrateKbps: 2_000 + Math.random() * 1_000 });
  };
  change();
  const timer = setInterval(change, 400);
  await page.addInitScript("sessionStorage.setItem('airlock.token', 'all')");
  await page.goto(`${harness.httpUrl}/dashboard/#/overview`);
  await page.getByText('Broadcast 200', { exact: true }).waitFor({ state: 'attached' });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.evaluate(OBSERVE);
  const before = await metricsOf(cdp);
  for (let second = 0; second < WATCHED_S; second++) {
    await harness.raise(String(1 + second * 3), 1, MONO);
    await page.mouse.move(800, 500);
    await page.mouse.wheel(0, second < WATCHED_S / 2 ? WHEEL_PX : -WHEEL_PX);
    await page.waitForTimeout(1_000);
  }
  const after = await metricsOf(cdp);
  clearInterval(timer);
  const long: number[] = await page.evaluate('window.long');
  const frames = (await page.evaluate<number[]>('window.frames')).sort((a, b) => a - b);
  const at = (share: number): string => (frames[Math.floor(share * (frames.length - 1))] ?? 0).toFixed(0);
  const busy = (name: string): string =>
    `${((100 * ((after[name] ?? 0) - (before[name] ?? 0))) / WATCHED_S).toFixed(0)} %`;
  say(
    `overview: ${RUNNING} broadcasts, ${WATCHED_S} s: frames p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)} ms; ` +
      `long tasks ${long.length}, longest ${Math.max(0, ...long).toFixed(0)} ms; ` +
      `busy ${busy('TaskDuration')}, of it script ${busy('ScriptDuration')}, layout ${busy('LayoutDuration')}, style ${busy('RecalcStyleDuration')}`,
  );
  await screenshot(page, 'overview-200');
  expect(long.filter((ms) => ms > 200)).toEqual([]);
  expect(Number(at(0.95))).toBeLessThan(100);
  expect(faults).toEqual([]);
}, 180_000);

async function metricsOf(cdp: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Bytes in use after a full collection. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await metricsOf(cdp)).JSHeapUsedSize ?? 0;
}

const HOURS = 8;
/** Errors of an hour: one raised and cleared every twelve seconds. */
const ERRORS_OF_HOUR = 300;
/** Observed values of an hour, sent faster than twice a second. */
const VALUES_OF_HOUR = 40;
/** What eight hours may add: the records that the page holds, at their most. */
const MAX_GROWTH = 3_000_000;

test('the dock holds no more after eight hours of errors than after the first', async () => {
  await page.setViewportSize({ width: 300, height: 900 });
  harness.tokens.set('dock', harness.viewer([], { broadcastIds: ['1'], mayRead: async () => true }));
  harness.health.set('1', HEALTH);
  await harness.live('1', { status: 'LIVE', stream: 'connected', broadcastStartMs: Date.now() });
  await page.goto(`${harness.httpUrl}/dock/#1.dock`);
  await page.getByText('Stream healthy: all checks pass.').waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const heaps: number[] = [];
  const nodes: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) {
    for (let each = 0; each < ERRORS_OF_HOUR; each++) {
      const [raised] = await harness.raise('1', 1, { ...MONO, timestampMs: Date.now() });
      await harness.clear({ ...(raised as StoredRecord), cleared_time_ms: null });
    }
    for (let each = 0; each < VALUES_OF_HOUR; each++) {
      harness.health.set('1', { ...HEALTH, streamTimeMs: each, videoBitrateKbps: 2_000 + each + hour });
      await page.waitForTimeout(100);
    }
    await page.getByText('Stream healthy: all checks pass.').waitFor();
    heaps.push(await heapOf(cdp));
    nodes.push((await metricsOf(cdp)).Nodes ?? 0);
  }
  const mb = (bytes = 0): string => (bytes / 1e6).toFixed(2);
  say(`dock: heap after each hour ${heaps.map(mb).join(', ')} MB; nodes ${nodes.join(', ')}`);
  expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)).toBeLessThan(MAX_GROWTH);
  expect((nodes.at(-1) ?? 0) - (nodes[0] ?? 0)).toBeLessThan(500);
  await screenshot(page, 'dock-8h');
  expect(faults).toEqual([]);
}, 600_000);

/** What the dashboard says of a broadcast that was too short for some rules. */
import type { Browser, Page } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [airlock, browser] = await Promise.all([Airlock.start(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await airlock.stop();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(45_000);
  faults = faultsOf(page);
});
afterEach(() => page.close());

test.each([
  ['by its owner', async (id: string) => void (await airlock.post(`/${id}`, { end_live_video: 'true' })), ''],
  ['by its encoder', async () => undefined, 'true'],
])('a short broadcast that ended %s lists the rules without a verdict', async (_how, end, stop) => {
  const live = await airlock.createLive({ title: `Short ${stop}`, stop_on_delete_stream: stop || 'false' });
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(paced(synthStream({ durationMs: 3_000, channels: 1 })));
  await publisher.status('NetStream.Publish.Violation', (each) => each.fields.error_code === 6304);
  await publisher.stop();
  await end(live.id);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'VOD',
  );
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').fill(airlock.quickstart.access_token);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: `Short ${stop}` }).click();
  await page.getByRole('row', { name: /^Failed Channels .* failed once/ }).waitFor();
  await page.getByText(/ checks? without errors/).click();
  await page.getByRole('row', { name: /^OK Sample rate .* no errors/ }).waitFor();
  await page
    .getByRole('row', { name: /^No data Bitrate .* no data/ })
    .first()
    .waitFor();
  await screenshot(page, `dashboard-short${stop}`);
  expect(faults).toEqual([]);
});

/** Pages of a running server: a broadcast that was too short for some rules, and the API reference. */
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

test('/docs/ shows samples and sends requests, under its content security policy', async () => {
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  const { id } = await airlock.createLive({ title: 'Read by a form' });
  const answer = await page.goto(new URL('/try', airlock.quickstart.http_url).href);
  expect(answer?.url()).toBe(new URL('/docs/', airlock.quickstart.http_url).href);
  expect(answer?.headers()['content-security-policy']).toMatch(/script-src 'self';/);
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.getByLabel('auth-bearer-value').fill(airlock.quickstart.access_token);
  await page.getByLabel('Apply credentials').first().click();
  await page.getByRole('button', { name: 'Close' }).last().click();

  const operation = page.locator('#operations-LiveVideo-GET_live_video_id');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByText("await new LiveVideo(LIVE_VIDEO_ID).get(['title', 'status'").waitFor();
  await operation.getByText('curl "$URL/v24.0/$LIVE_VIDEO_ID"').waitFor();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByPlaceholder('live-video-id').fill(id);
  await operation.getByPlaceholder('fields').fill('title');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('Read by a form').waitFor();
  await screenshot(page, 'api-reference');
  expect([...hosts]).toEqual([new URL(airlock.quickstart.http_url).host]);
  expect(faults).toEqual([]);
});

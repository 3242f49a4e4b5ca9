/** Pages of a running server: a broadcast that was too short for some rules, and the API reference. */
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { accessibilityFaults, faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let browser: Browser;
/** One for all tests, so that the pages are loaded and compiled once. */
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [airlock, browser] = await Promise.all([Airlock.start(), launchBrowser()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
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
  await signIn();
  await page.getByRole('link', { name: `Short ${stop}` }).click();
  await page.getByRole('row', { name: /^Failed Channels stereo mono failed once/ }).waitFor();
  await page.getByText(/ checks? without errors/).click();
  await page.getByRole('row', { name: /^OK Sample rate .* 48 kHz/ }).waitFor();
  await page
    .getByRole('row', { name: /^No data Bitrate .* no data/ })
    .first()
    .waitFor();
  await screenshot(page, `dashboard-short${stop}`);
  expect(faults).toEqual([]);
});

test('signs in by the one-time link, once, and opens the report on a broadcast', async () => {
  const link = airlock.quickstart.sign_in_url;
  await page.goto(link);
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
  expect(page.url()).not.toContain('sign-in');
  await page.getByRole('link', { name: 'Server', exact: true }).click();
  await page.getByRole('row', { name: /^ingest / }).waitFor();
  await page.getByText(/^[\d,]+ days$/).waitFor();
  await page.getByRole('heading', { name: 'No broadcast is running' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
  await page.getByRole('link', { name: 'Short true' }).click();
  await page.getByText(/^Ended by the encoder\. /).waitFor();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the report' }).click();
  const report = await opening;
  await report.getByRole('heading', { name: 'Report: Short true' }).waitFor();
  await report.getByRole('heading', { name: 'Compared with the last ones' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await report.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(report)).toEqual([]);
    await screenshot(report, `report-${colorScheme}`);
  }
  const pdf = await report.pdf({ preferCSSPageSize: true });
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Report links' }).click();
  await page.getByRole('button', { name: 'End link', exact: true }).click();
  await page.getByText('No links to this report.').waitFor();
  expect((await report.reload())?.status()).toBe(404);
  await report.getByRole('heading', { name: 'This link to a report has ended, or is not complete' }).waitFor();
  await report.close();
  expect(faults).toEqual([]);

  // The cookie is worth nothing outside the pages, and no line of the log has it.
  const [{ name, value } = { name: '', value: '' }] = await context.cookies();
  const headers = { cookie: `${name}=${value}`, 'x-airlock-page': '1' };
  const statusOf = async (path: string) => (await fetch(airlock.quickstart.http_url + path, { headers })).status;
  expect(await Promise.all(['/dashboard/api/me', '/me', '/metrics'].map(statusOf))).toEqual([200, 400, 200]);
  expect(airlock.log).not.toContain(value);

  const other = await browser.newContext();
  const again = await other.newPage();
  await again.goto(link);
  await again.getByText('This sign-in link was already used').waitFor();
  await other.close();
});

test('signs in by a link of the command line, as its owner and without the scope of operators', async () => {
  const { page_id } = airlock.quickstart;
  await airlock.createLive({ title: 'Seen by its owner' });
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const { code, stdout } = await runCli(['sign-in', page_id], { env });
  const [link = '', sentence] = stdout.split('\n');
  expect({ code, sentence }).toEqual({
    code: 0,
    sentence: expect.stringMatching(/^Signs in as Quickstart Page \(\d+\), once, until 20\S+Z\.$/),
  });
  await page.goto(link);
  await page.getByRole('link', { name: 'Seen by its owner' }).waitFor();
  expect(await page.getByRole('link', { name: 'Server', exact: true }).count()).toBe(0);
  expect(await runCli(['sign-in', '1'], { env })).toMatchObject({ code: 2, stdout: '' });
  const { stdout: json } = await runCli(['sign-in', '--format', 'json'], { env });
  expect(JSON.parse(json)).toMatchObject({ owner_id: airlock.quickstart.user_id });
  expect(airlock.log).not.toContain(link.slice(-43));
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

test('returns to the sign-in page with the reason when a token is rejected', async () => {
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').fill('AL-nothing');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('alert')
    .getByText(/unknown, expired or revoked/)
    .waitFor();
  expect(await context.cookies()).toEqual([]);
});

test('every control can be reached by keyboard', async () => {
  const live = await airlock.createLive({ title: 'By keyboard' });
  await signIn();
  await page.getByRole('link', { name: /By keyboard/ }).waitFor();
  const focused = (): Promise<string> => page.locator(':focus').evaluateAll((found) => found[0]?.textContent ?? '');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  const row = page.getByRole('link', { name: /By keyboard/ }).and(page.locator(':focus'));
  for (let presses = 0; presses < 30 && (await row.count()) === 0; presses++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/broadcasts/${live.id}`);
});

// `test/long/access` has both themes and more widths.
test('the pages fit in the dark on 360 and 1280 pixels, and are accessible on the first', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await signIn();
  const tooWide = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  for (const path of ['#/', '#/new', '#/videos', `#/broadcasts/${airlock.quickstart.live_video_id}`]) {
    await page.goto(airlock.quickstart.dashboard_url + path);
    await page.locator('h1').first().waitFor();
    for (const shown of [1280, 360]) {
      await page.setViewportSize({ width: shown, height: 844 });
      expect([path, shown, await tooWide()]).toEqual([path, shown, 0]);
    }
    expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
    await screenshot(page, `dashboard-${path.replaceAll(/\W+|\d+/g, '-')}-dark-360`);
  }
});

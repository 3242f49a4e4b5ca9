/** Pages of a running server: signing in, short broadcasts, every surface of one, forwards, and the API reference. */

import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { FileRecord } from '../../src/check/file-report.js';
import { brokenMs } from '../../src/dashboard/web/shared/broken-time.js';
import { duration as onPage, valueText } from '../../src/dashboard/web/shared/format.js';
import { filledRemedy } from '../../src/lib/filled-remedy.js';
import { duration as inReport } from '../../src/report/lines.js';
import type { BroadcastReport } from '../../src/report/report.js';
import { countsText } from '../../src/spec/ending.js';
import type { ErrorView } from '../../src/spec/error-view.js';
import { Airlock } from '../support/airlock.js';
import {
  accessibilityFaults,
  faultsOf,
  launchBrowser,
  screenshot,
  signIn as signInByCookie,
} from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { FeedClient } from '../support/feed-client.js';
import { flvFile } from '../support/flv-writer.js';
import { inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { RtmpTarget } from '../support/rtmp-target.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let browser: Browser;
/** One for all tests, so that the pages are loaded and compiled once. */
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [airlock, browser] = await Promise.all([
    Airlock.start({ AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535' }),
    launchBrowser(),
  ]);
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

/** Pixels by which the page is wider than the window. */
const tooWide = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const ENDS: readonly (readonly [string, (id: string) => Promise<void>, string])[] = [
  ['by its owner', async (id) => void (await airlock.post(`/${id}`, { end_live_video: 'true' })), ''],
  ['by its encoder', async () => undefined, 'true'],
];

test.each(ENDS)('a short broadcast that ended %s lists the rules without a verdict', async (_how, end, stop) => {
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
  expect(await page.getByRole('link', { name: 'Check a file' }).getAttribute('href')).toBe('../check/');
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

inFull('/docs/ shows samples and sends requests with the session, under its content security policy', async () => {
  const hosts = new Set<string>();
  const sizes: number[] = [];
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('response', (response) => sizes.push(Number(response.headers()['content-length'] ?? 0)));
  const { id } = await airlock.createLive({ title: 'Read by a form' });
  const answer = await page.goto(new URL('/try', airlock.quickstart.http_url).href);
  expect(answer?.url()).toBe(new URL('/docs/', airlock.quickstart.http_url).href);
  expect(answer?.headers()['content-security-policy']).toMatch(/script-src 'self';/);
  await page.getByText(/^\d+ operations$/).waitFor();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
  await page.getByText('/{live-video-id}', { exact: true }).first().click();
  await page.getByText('to send requests from here').waitFor();

  await signInByCookie(context, airlock.quickstart.http_url, airlock.quickstart.access_token);
  await page.goto(new URL('/docs/#GET_live_video_id', airlock.quickstart.http_url).href);
  await page.reload();
  const operation = page.locator('#GET_live_video_id');
  await operation.getByText('curl "$URL/v24.0/$LIVE_VIDEO_ID"').waitFor();
  await operation.getByRole('button', { name: 'facebook-nodejs-business-sdk' }).click();
  await operation.getByText("await new LiveVideo(LIVE_VIDEO_ID).get(['title', 'status'").waitFor();
  await operation.getByText(/fields of LiveVideo/).click();
  await operation.getByText('stream_secondary_urls', { exact: true }).waitFor();
  await operation.getByLabel('live-video-id', { exact: true }).fill(id);
  await operation.getByLabel('fields', { exact: true }).fill('title');
  await operation.getByRole('button', { name: 'Send GET' }).click();
  await operation.getByText('Status 200').waitFor();
  await operation.getByText('"title": "Read by a form"').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect([colorScheme, width, await accessibilityFaults(page)]).toEqual([colorScheme, width, []]);
      expect([width, await tooWide()]).toEqual([width, 0]);
      await screenshot(page, `api-reference-${colorScheme}-${width}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByLabel('Find operations by path, word or parameter').fill('POST live-video-id title');
  const change = page.locator('#POST_live_video_id');
  await change.getByText('/{live-video-id}', { exact: true }).first().click();
  await change.getByLabel('live-video-id', { exact: true }).fill(id);
  await change.getByLabel('title', { exact: true }).fill('Written by a form');
  await change.getByRole('button', { name: 'Send POST' }).click();
  await change.getByText('Status 200').waitFor();
  expect((await airlock.get(`/${id}`, { fields: 'title' })).title).toBe('Written by a form');
  expect([...hosts]).toEqual([new URL(airlock.quickstart.http_url).host]);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
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

inFull('every control can be reached by keyboard', async () => {
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
inFull('the pages fit in the dark on 360 and 1280 pixels, and are accessible on the first', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await signIn();
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

/** One broadcast on every surface that shows it: a number that two of them show is the same. */
describe('every surface', () => {
  /** Mono for a second, three times; key frames 6 s apart throughout. */
  const STREAM: SynthOptions = {
    durationMs: 15_000,
    keyFrameIntervalMs: 6_000,
    changes: [4_000, 7_000, 10_000].flatMap((atMs) => [
      { atMs, channels: 1 },
      { atMs: atMs + 1_000, channels: 2 },
    ]),
  };
  const RECURRING = 6304;
  const FROM_MEDIA = [6208, RECURRING, 6403];

  const byCode = <Row extends { readonly error_code: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
    new Map(rows.map((row) => [row.error_code, row]));

  async function textOf(page: Page): Promise<string> {
    return (await page.locator('main').allInnerTexts()).join(' ').replaceAll(/\s+/g, ' ');
  }

  test('a broadcast that broke three rules has the same numbers wherever it is read', async () => {
    const live = await airlock.createLive({ title: 'Every surface', stop_on_delete_stream: 'true' });
    const { access_token: token, http_url: httpUrl } = airlock.quickstart;
    const feed = await FeedClient.open(`${httpUrl.replace('http', 'ws')}/live`, {
      type: 'subscribe',
      token,
      broadcasts: [live.id],
    });
    const publisher = await Publisher.open(airlock, live.key);
    await publisher.send(paced(synthStream(STREAM)));
    await publisher.stop();
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      ({ status }) => status === 'VOD',
    );

    // Every source of the numbers.
    const records: ErrorView[] = (await airlock.get(`/${live.id}/errors`, { limit: '100' })).data;
    const nested: ErrorView[] = (await airlock.get(`/${live.id}`, { fields: 'errors' })).errors.data;
    const fed = new Map(feed.records(live.id).map((record) => [record.id, record]));
    const session = await airlock.get(`/${live.id}/report`);
    const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
    const [json, html, text] = await Promise.all(
      ['json', 'html', 'text'].map(async (format) => {
        const run = await runCli(['live', 'report', live.id, '--format', format], { env });
        expect(run).toMatchObject({ code: 0, stderr: '' });
        return run.stdout;
      }),
    );
    const report: BroadcastReport = JSON.parse(json ?? '');
    const path = join(airlock.folder, 'surfaces.flv');
    writeFileSync(path, flvFile(synthStream(STREAM)));
    const validated = JSON.parse((await runCli(['validate', path, '--format', 'json'])).stdout).files[0];
    const inFile = byCode<FileRecord>(validated.errors);

    // The records, field by field.
    expect(byCode(records).get(RECURRING)).toMatchObject({ count: 3 });
    expect(records.map(({ error_code }) => error_code)).toEqual(expect.arrayContaining(FROM_MEDIA));
    expect(nested).toEqual(records);
    expect(session.records.data).toEqual([...records].reverse());
    for (const record of records) {
      const { broadcast_id, video_id, ...view } = record as ErrorView & { broadcast_id: string; video_id: string };
      expect(fed.get(record.id)).toMatchObject(view);
    }

    // The same stream as a file: wall time and stream time differ by what the network did.
    for (const code of FROM_MEDIA) {
      const [record, found] = [byCode(records).get(code), inFile.get(code)];
      const { observed, worst, limit, unit, count, severity, description, stream_time_ms } = record ?? fail(code);
      expect(found).toMatchObject({ observed, worst, limit, unit, count, severity, description, stream_time_ms });
      if (found?.open_ms !== undefined) expect(Math.abs(found.open_ms - (record?.open_ms ?? 0))).toBeLessThan(500);
    }

    // What was pushed says of each raise what the record said then.
    const raised = publisher.statuses.filter(({ code }) => code === 'NetStream.Publish.Violation');
    for (const { fields } of raised) {
      const record = records.find(({ id }) => id === fields.id);
      const { error_code, error_type, severity, stream_time_ms } = record ?? fail(fields.id);
      expect(fields).toMatchObject({ error_code, error_type, severity, stream_time_ms });
      const said = feed
        .records(live.id)
        .filter(({ id }) => id === fields.id)
        .map(({ description }) => description);
      expect(said).toContain(fields.description);
    }
    expect(new Set(raised.map(({ fields }) => fields.error_code))).toEqual(
      new Set(
        records.filter(({ error_code, severity }) => severity !== 'info' && error_code < 6900).map((r) => r.error_code),
      ),
    );

    // Both reports.
    const count = (wanted: string) => records.filter(({ severity }) => severity === wanted).length;
    expect(report).toMatchObject({ errors: count('error'), warnings: count('warning') });
    expect(session.records.total_count).toBe(records.length);
    expect(session.times.duration_ms).toBe(report.duration_ms);
    const rows = byCode<BroadcastReport['rules'][number]>(session.rules);
    const untilMs = Date.parse(report.ended ?? '');
    for (const rule of report.rules) {
      const own = records.filter(({ error_code }) => error_code === rule.error_code);
      const times = own.reduce((sum, each) => sum + each.count, 0);
      expect(rule).toMatchObject({ times, broken_ms: brokenMs(own, untilMs) });
      expect(rows.get(rule.error_code)).toMatchObject({
        count: times,
        broken_ms: rule.broken_ms,
        broken_share: rule.broken_share,
      });
      expect(rule.description).toBe(filledRemedy(own[0]?.description ?? '', 30));
      expect(html).toContain(
        `broken ${inReport(rule.broken_ms)} of ${inReport(report.duration_ms)}</td><td>${times}</td>`,
      );
      expect(text).toMatch(
        new RegExp(
          `${rule.error_code} .* ${times} +${inReport(rule.broken_ms)} .*${(rule.broken_share * 100).toFixed(1)} %`,
        ),
      );
    }
    expect(session.rules.filter(({ records: n }: { records: number }) => n > 0)).toHaveLength(report.rules.length);
    const headline = `Ended by the encoder. ${countsText(report.errors, report.warnings)}`;
    for (const shown of [html, text]) expect(shown).toContain(headline);

    // The pages.
    const made = await fetch(new URL(`/dashboard/data/dock-links/${live.id}`, httpUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    }).then((answer) => answer.json() as Promise<{ path: string }>);
    const dock = await context.newPage();
    await signIn();
    await page.getByRole('link', { name: 'Every surface' }).click();
    await Promise.all([page.getByText(headline).waitFor(), dock.goto(new URL(made.path, httpUrl).href)]);
    await dock.getByText(headline).waitFor();
    await page.getByText('Results for the whole broadcast.').waitFor();
    await page.getByRole('row', { name: /^Failed Channels stereo mono failed 3 times/ }).waitFor();
    await page.getByText(/ checks? without errors/).click();
    await screenshot(page, 'surfaces-ended');
    const shown = await textOf(page);
    expect(shown).toMatch(/Bitrate 1,500 to 4,000 kbps \(720p at 30 FPS\) 2,\d\d\d kbps/);
    for (const record of records.filter(({ severity }) => severity !== 'info')) {
      const lasted = record.open_ms < 1_000 ? 'Cleared' : `Lasted ${onPage(record.open_ms)}`;
      expect(shown).toMatch(new RegExp(`${lasted} .*#${record.sequence} · ${record.error_code} · `));
      if (record.count > 1) expect(shown).toMatch(new RegExp(`· ${record.error_code} · [^#]* · ${record.count} times`));
    }
    const interval = byCode(records).get(6208) ?? fail(6208);
    expect(shown).toContain(`at most 4 s ${valueText(Number(interval.worst), interval.unit)} failed`);
    const rule = byCode(report.rules).get(RECURRING) ?? fail(RECURRING);
    expect(shown).toContain(`failed 3 times broken ${onPage(rule.broken_ms)} of `);
    // A note (6217) is no fault of the row that it belongs to.
    expect(shown).toMatch(/4:2:0, 8-bit, progressive(?! broken)/);
    const inDock = await textOf(dock);
    expect(inDock).toMatch(/Audio is not stereo (just now|\d+ (s|min) ago), 3 times/);
    await page.setViewportSize({ width: 360, height: 800 });
    await screenshot(page, 'surfaces-ended-360');
    await screenshot(dock, 'surfaces-dock');
    await dock.close();
    feed.socket.close();
  });

  function fail(what: unknown): never {
    throw new Error(`no record of ${what}`);
  }
});

/** The card of forwards as people use it: real Chromium, the built server, a real target. */
describe('forwards', () => {
  let rtmp: RtmpTarget;
  beforeAll(async () => {
    rtmp = await new RtmpTarget().listen();
  });
  afterAll(() => rtmp.close());

  inFull(
    'a forward is added, paused and removed on the page of the broadcast, and says what it does',
    async () => {
      const live = await airlock.createLive({ title: 'Council' });
      const publisher = await Publisher.open(airlock, live.key);
      const sent = publisher.send(paced(synthStream({ durationMs: 120_000 })));
      await signIn();
      await page.getByRole('link', { name: 'Council' }).first().click();
      await page.getByText('New forward').click();
      await page.getByLabel('Name').fill('Origin');
      await page.getByLabel('Server URL, without the stream key').fill(rtmp.url());
      await page.getByLabel('Stream key', { exact: true }).fill('abc');
      await page.getByRole('button', { name: 'Add forward' }).click();
      await page.getByText(/^Sending to Origin, [\d,.]+ (kbps|Mbps), /).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Broadcasts' }).first().click();
      await page.getByText('Forwards: 1 of 1 sending').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await screenshot(page, 'list-forwards');
      await page.getByRole('link', { name: 'Council' }).first().click();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('Off', { exact: true }).waitFor();
      await rtmp.until(() => rtmp.connections[0]?.unpublished === 'FCUnpublish');
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('button', { name: 'Remove forward' }).click();
      await page.getByRole('heading', { name: 'Origin' }).waitFor({ state: 'detached' });
      expect(faults).toEqual([]);
      publisher.cut();
      await sent;
    },
    60_000,
  );
});

/** The dashboard of a server that takes tokens only with an app secret proof. */
describe('app secret proof', () => {
  const SECRET = 'the secret of the app';
  let strict: Airlock;
  beforeAll(async () => {
    strict = await Airlock.start({ AIRLOCK_APP_SECRET: SECRET, AIRLOCK_REQUIRE_APP_SECRET_PROOF: 'on' });
  });
  afterAll(() => strict.stop());

  inFull('the dashboard asks for the app secret proof and works with it', async () => {
    const { access_token, dashboard_url } = strict.quickstart;
    await page.goto(dashboard_url);
    await page.getByLabel('Access token').fill(access_token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This server requires an app secret proof.').waitFor();
    await page.getByLabel('App secret proof').fill('0'.repeat(64));
    await screenshot(page, 'proof');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The proof does not match this token.').waitFor();
    await page.getByLabel('App secret proof').fill(createHmac('sha256', SECRET).update(access_token).digest('hex'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();

    // Reading and writing, and both again after a reload.
    for (const title of ['With a proof', 'Still with it']) {
      await page.getByRole('link', { name: 'New broadcast' }).first().click();
      await page.getByLabel('Title').fill(title);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: title }).first().waitFor();
      await page.getByText('Waiting for stream').waitFor();
      await page.reload();
      await page.getByRole('heading', { name: title }).first().waitFor();
      await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
      await page.getByRole('link', { name: title }).first().waitFor();
    }
  });
});

/** One broadcast on every surface that shows it: a number that two of them show is the same. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { FileRecord } from '../../src/check/file-report.js';
import { brokenMs } from '../../src/dashboard/web/shared/broken-time.js';
import { duration as onPage, valueText } from '../../src/dashboard/web/shared/format.js';
import { filledRemedy } from '../../src/lib/filled-remedy.js';
import { duration as inReport } from '../../src/report/lines.js';
import type { BroadcastReport } from '../../src/report/report.js';
import { countsText } from '../../src/spec/ending.js';
import type { ErrorView } from '../../src/spec/error-view.js';
import { Airlock } from '../support/airlock.js';
import { launchBrowser, screenshot } from '../support/browser.js';
import { runCli } from '../support/cli.js';
import { FeedClient } from '../support/feed-client.js';
import { flvFile } from '../support/flv-writer.js';
import { Publisher, paced } from '../support/publisher.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';

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

let airlock: Airlock;
let browser: Browser;

beforeAll(async () => {
  [airlock, browser] = await Promise.all([Airlock.start(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await airlock.stop();
});

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
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const [page, dock] = await Promise.all([context.newPage(), context.newPage()]);
  await page.goto(airlock.quickstart.sign_in_url);
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
  await context.close();
  feed.socket.close();
});

function fail(what: unknown): never {
  throw new Error(`no record of ${what}`);
}

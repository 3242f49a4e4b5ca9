/** `open_ms`: for how long a record was open, from the judge to what is shown. */
import { ruleReports } from '../../src/api/resources/live-video/report-figures.js';
import { fileRecord } from '../../src/check/file-report.js';
import { recordsText } from '../../src/dashboard/feed/record-cursor.js';
import { brokenMs as shownMs } from '../../src/dashboard/web/shared/broken-time.js';
import { sinceOf } from '../../src/dashboard/web/shared/health-line.js';
import { barsOf } from '../../src/dashboard/web/shared/lanes.js';
import { liveText } from '../../src/dashboard/web/shared/live-text.js';
import { errorView } from '../../src/spec/error-view.js';
import { brokenMs, openTime } from '../../src/spec/open-time.js';
import { recordEvent } from '../../src/webhook/outbox.js';
import type { SynthOptions } from '../support/synth-stream.js';
import { judgeStream, LiveRun, only, START_WALL_MS } from './harness.js';

/** One channel for a second of every minute, 21 times. */
const MINUTES = 21;
const RECURRING: SynthOptions = {
  durationMs: MINUTES * 60_000 + 5_000,
  videoKbps: 100,
  changes: Array.from({ length: MINUTES }, (_, n) => [
    { atMs: 5_000 + n * 60_000, channels: 1 },
    { atMs: 6_000 + n * 60_000, channels: 2 },
  ]).flat(),
};
const stored = (body: ReturnType<typeof only>) => ({ ...body, sequence: 1, revision: 42 });
const SUBJECT = { broadcastId: '1', videoId: '10' };
const SPAN = { startMs: START_WALL_MS, endMs: START_WALL_MS + MINUTES * 60_000 };

describe('a fault that lasts for a second of every minute', () => {
  const run = judgeStream(RECURRING);
  const record = stored(only(run, 6304));

  test('was open for the sum of its intervals', () => {
    expect(record.count).toBe(MINUTES);
    expect((record.cleared_time_ms ?? 0) - record.timestampMs).toBeGreaterThan(20 * 60_000);
    expect(Math.abs((record.open_ms ?? 0) - MINUTES * 1_000)).toBeLessThan(MINUTES * 30);
  });

  test('is shown as broken for that time wherever it is read', () => {
    const view = errorView(record, SUBJECT);
    const [row] = ruleReports([record], [], SPAN).filter(({ records }) => records > 0);
    expect(row?.broken_ms).toBe(record.open_ms);
    expect(row?.broken_share).toBeCloseTo(1 / 60, 3);
    expect(shownMs([view], SPAN.endMs)).toBe(record.open_ms);
    expect(view.open_ms).toBe(record.open_ms);
    expect(fileRecord(record, START_WALL_MS).open_ms).toBe(record.open_ms);
    expect(recordEvent('1', record, SUBJECT).change.value).toMatchObject({ error: { open_ms: record.open_ms } });
    expect(JSON.parse(recordsText(SUBJECT, [record], 42))).toMatchObject({ records: [{ open_ms: record.open_ms }] });
    expect(liveText(view, SPAN.endMs)).toContain('lasted 0:21 · 21 times');
    const [bar] = barsOf('Audio', [view], [], SPAN.endMs);
    expect(bar?.label).toContain('0:21 of 20:0');
    expect(bar?.share).toBeCloseTo(21 / 1_201, 2);
  });

  test('is open since its last raise, and has the time of those before', () => {
    const [, second] = run.changes.filter(({ body, change }) => body.error_code === 6304 && change === 'counted');
    if (second === undefined) throw new Error('no third raise');
    const view = errorView(stored(second.body), SUBJECT);
    const sinceMs = Date.parse(view.open_since ?? '');
    expect(Math.abs(sinceMs - START_WALL_MS - 125_000)).toBeLessThan(100);
    expect(Math.abs(view.open_ms - 2_000)).toBeLessThan(100);
    expect(liveText(view, sinceMs + 5_000)).toContain('open for 0:07');
    const broadcast = {
      status: 'LIVE',
      stream_state: 'connected',
      stream_since: new Date(START_WALL_MS).toISOString(),
    };
    expect(sinceOf(broadcast as Parameters<typeof sinceOf>[0], [view])).toBe(sinceMs);
  });
});

test.each([1, 2])('the time open survives a restart, by the holder of lease %d', (fence) => {
  const first = new LiveRun()
    .connect()
    .goLive()
    .send({
      durationMs: 6_000,
      changes: [
        { atMs: 1_000, channels: 1 },
        { atMs: 2_000, channels: 2 },
        { atMs: 4_000, channels: 1 },
      ],
    })
    .disconnect(false);
  const left = first.records.find(({ error_code: code }) => code === 6304);
  expect(left?.cleared_time_ms).toBeNull();
  expect(Math.abs((left?.open_ms ?? 0) - 1_000)).toBeLessThan(100);
  const second = new LiveRun({ resume: JSON.parse(JSON.stringify(first.judge.resume())), fence });
  second.atMs = first.atMs;
  second.wait(5_000).end();
  const record = second.records.find(({ error_code: code }) => code === 6304);
  const openMs = (left?.open_ms ?? 0) + second.now.wallMs - (left?.opened_ms ?? 0);
  expect(record).toMatchObject({ id: left?.id, count: 2, open_ms: openMs });
  expect(record).not.toHaveProperty('opened_ms');
});

describe('time broken', () => {
  const at = (fromMs: number, toMs: number, openMs = toMs - fromMs) => ({ fromMs, toMs, openMs });
  const span = { fromMs: 0, untilMs: 10_000 };

  test('counts what overlaps once, and of what recurs its share', () => {
    expect(brokenMs([at(0, 4_000), at(2_000, 6_000)], span)).toBe(6_000);
    expect(brokenMs([at(0, 8_000, 2_000)], span)).toBe(2_000);
    expect(brokenMs([at(0, 8_000, 2_000), at(4_000, 8_000)], span)).toBe(5_000);
    expect(brokenMs([at(-4_000, 4_000), at(9_000, 20_000)], span)).toBe(5_000);
    expect(brokenMs([at(5_000, 5_000)], span)).toBe(0);
    expect(brokenMs([], span)).toBe(0);
  });

  test('of a record of an earlier version is from its raise to its clear', () => {
    const former = { timestampMs: 1_000, cleared_time_ms: 3_000 };
    expect(openTime(former, 9_000)).toEqual(at(1_000, 3_000));
    expect(openTime({ ...former, cleared_time_ms: null }, 9_000)).toEqual(at(1_000, 9_000));
  });
});

/** Figures of a session report. */
import { causesOf, figuresOf, ruleReports } from '../../../../src/api/resources/live-video/report-figures.js';
import type { StoredRecord } from '../../../../src/spec/error-record.js';
import { recordBody } from '../../../support/store-harness.js';

const SPAN = { startMs: 1_000, endMs: 11_000 };

const open = (code: number, fromMs: number, toMs: number | null, more: Partial<StoredRecord> = {}): StoredRecord => ({
  ...recordBody('1', 1, 1, { error_code: code, timestampMs: fromMs, cleared_time_ms: toMs }),
  sequence: 1,
  revision: 1,
  ...more,
});

test('averages and extremes skip values that were not observed', () => {
  const columns = ['time', 'video_kbps', 'video_kbps_min', 'video_kbps_max', 'audio_kbps', 'frame_rate'];
  const points = [
    [0, 1_000, 900, 1_200, null, 30],
    [1, null, null, null, null, 29],
    [2, 2_000, 1_900, 2_500, null, 29.5],
  ];
  expect(figuresOf({ columns, points })).toEqual({
    video_bitrate_kbps: { average: 1_500, lowest: 900, highest: 2_500 },
    frame_rate: { average: 29.5, lowest: 29, highest: 30 },
  });
  expect(figuresOf({ columns, points: [] })).toEqual({});
});

test('time that several records of a rule cover counts once, within the session only', () => {
  const records = [open(6208, 0, 3_000), open(6208, 2_000, 5_000), open(6208, 9_000, null), open(6402, 5_000, 5_000)];
  const reports = ruleReports(records, [6201, 6208], SPAN);
  const of = (code: number) => reports.find(({ error_code }) => error_code === code);
  expect(of(6208)).toMatchObject({ judged: 'fail', records: 3, count: 3, broken_ms: 6_000, broken_share: 0.6 });
  expect(of(6402)).toMatchObject({ records: 1, broken_ms: 0, broken_share: 0 });
  expect(of(6201)).toMatchObject({ judged: 'pass', records: 0, broken_ms: 0, broken_share: 0 });
  expect(of(6203)).toMatchObject({ judged: 'not-judged' });
  expect([6102, 6707].map(of)).toEqual([undefined, undefined]);
});

test('each cause is listed once, with the codes that it explains', () => {
  const cause = 6901;
  const records = [
    open(6208, 0, 1, { cause }),
    open(6208, 5, 6, { cause }),
    open(6203, 2, 3, { cause }),
    open(6402, 4, 5),
  ];
  expect(causesOf(records)).toMatchObject([{ error_code: cause, explains: [6203, 6208] }]);
  expect(causesOf(records.slice(3))).toEqual([]);
});

test('warnings alone are warn, and a session without a length has no share', () => {
  const [report] = ruleReports([open(6208, 1_000, null, { severity: 'warning' })], [], undefined).filter(
    ({ records }) => records > 0,
  );
  expect(report).toMatchObject({ judged: 'warn', broken_ms: 0 });
  expect(report).not.toHaveProperty('broken_share');
});

import {
  apart,
  type History,
  limitsOf,
  lines,
  marks,
  summary,
} from '../../../src/dashboard/web/dashboard/charts/chart-data.js';
import { errorView } from '../../../src/spec/error-view.js';
import { recordBody } from '../../support/store-harness.js';

const history: History = {
  columns: ['at', 'video_kbps'],
  step_ms: 2_000,
  points: [
    [10_000, 100],
    [12_000, 200],
    [60_000, 300],
  ],
};

test('a pause in the points is a gap in the line', () => {
  const { times, column } = lines(history, Number.NEGATIVE_INFINITY);
  expect(times).toEqual([10, 12, 14, 60]);
  expect(column('video_kbps')).toEqual([100, 200, null, 300]);
  expect(column('unknown')).toEqual([null, null, null, null]);
});

test('leaves out points before the start of the span', () => {
  expect(lines(history, 12_000).times).toEqual([12, 14, 60]);
});

test('marks errors and warnings of the row from raise to clear, open ones until the end', () => {
  const record = (number: number, over: object) =>
    errorView(
      { ...recordBody('1', 1, number, { timestampMs: 20_000, ...over }), sequence: number, revision: number },
      { broadcastId: '1', videoId: '10' },
    );
  const found = marks(
    [
      record(1, { error_code: 6208, cleared_time_ms: 30_000 }),
      record(2, { error_code: 6209, severity: 'warning' }),
      record(3, { error_code: 6304 }),
      record(4, { error_code: 6208, severity: 'info' }),
    ],
    ['key-frame-interval'],
    60_000,
  );
  expect(found.map(({ from, to, severity }) => [from, to, severity])).toEqual([
    [20, 30, 'error'],
    [20, 60, 'warning'],
  ]);
});

test('the mark of a record that recurred tells for how much of its time it was open', () => {
  const body = recordBody('1', 1, 1, {
    error_code: 6208,
    timestampMs: 20_000,
    cleared_time_ms: 30_000,
    open_ms: 1_000,
  });
  const found = marks(
    [errorView({ ...body, sequence: 1, revision: 1 }, { broadcastId: '1' })],
    ['key-frame-interval'],
    60_000,
  );
  expect(found).toMatchObject([{ from: 20, to: 30, share: 0.1 }]);
});

test('summarizes a line for screen readers', () => {
  expect(summary([null, 5, 1, null, 3, null])).toEqual({ lowest: 1, highest: 5, last: 3, mean: 3 });
  expect(summary([null])).toBeUndefined();
});

test('names of bounds keep apart, and inside the chart', () => {
  expect(apart([10, 12, 80], 14, 90)).toEqual([10, 24, 80]);
  expect(apart([80, 85, 90], 14, 90)).toEqual([62, 76, 90]);
  expect(limitsOf({ from: 0, to: 4, what: 'allowed', target: 2 }).map(([, text]) => text)).toEqual([
    'at most 4',
    '2 recommended',
  ]);
  expect(limitsOf({ from: 400, to: 1_000, what: 'allowed' }).map(([value]) => value)).toEqual([1_000, 400]);
  expect(limitsOf(undefined)).toEqual([]);
});

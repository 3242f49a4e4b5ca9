import { gapsOf } from '../../../src/dashboard/web/dashboard/charts/chart-data.js';
import { barsOf } from '../../../src/dashboard/web/shared/lanes.js';
import { MARK_PX, placeMarks, rowsOf } from '../../../src/dashboard/web/shared/mark-rows.js';
import { errorView } from '../../../src/spec/error-view.js';
import { recordBody } from '../../support/store-harness.js';

const record = (number: number, over: object) =>
  errorView(
    { ...recordBody('1', 1, number, { timestampMs: 20_000, ...over }), sequence: number, revision: number },
    { broadcastId: '1', videoId: '10' },
  );

test('each record is in the lane of its rule; a change of settings is a point that says what changed', () => {
  const records = [
    record(1, { error_code: 6208, stream_time_ms: 4_000, cleared_time_ms: 30_000 }),
    record(2, { error_code: 6304, severity: 'warning' }),
    record(3, {
      error_code: 6403,
      cleared_time_ms: 90_000,
      changes: [{ setting: 'resolution', before: '1280x720', after: '640x360' }],
    }),
    record(4, { error_code: 6208, severity: 'info' }),
    record(5, { error_code: 6208, source: 'publish' }),
  ];
  expect(barsOf('Video', records, [], 60_000)).toMatchObject([
    { kind: 'error', fromMs: 20_000, toMs: 30_000, streamMs: 4_000 },
  ]);
  expect(barsOf('Audio', records, [], 60_000)).toMatchObject([{ kind: 'warning', toMs: 60_000 }]);
  const [gap, change] = barsOf('Stream', records, [{ fromMs: 1_000, toMs: 13_000 }], 60_000);
  expect(gap).toMatchObject({ kind: 'gap', label: expect.stringMatching(/^No stream, .*, 0:12$/) });
  expect(change).toMatchObject({ kind: 'change', fromMs: 20_000, toMs: 20_000 });
  expect(change?.label).toMatch(/resolution 1280x720 → 640x360$/);
});

test('marks are large enough to be pressed, and none covers another', () => {
  const mark = (fromMs: number, toMs: number) => ({ fromMs, toMs });
  const marks = [
    mark(0, 60_000),
    mark(10_000, 10_000),
    mark(10_500, 10_500),
    mark(59_000, 60_000),
    mark(70_000, 80_000),
  ];
  const places = placeMarks(marks, { fromMs: 0, toMs: 60_000 }, 600);
  expect(places.flatMap((place) => place.marks)).toHaveLength(4);
  for (const { left, width } of places) {
    expect(width).toBeGreaterThanOrEqual(MARK_PX);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + width).toBeLessThanOrEqual(600);
  }
  for (const one of places) {
    for (const other of places.filter((each) => each !== one && each.row === one.row)) {
      expect(one.left + one.width <= other.left || other.left + other.width <= one.left).toBe(true);
    }
  }
});

test('where all rows are taken, a mark joins another', () => {
  const same = Array.from({ length: 5 }, (_, index) => ({ fromMs: index, toMs: index + 1 }));
  const places = placeMarks(same, { fromMs: 0, toMs: 3_600_000 }, 800);
  expect(places.map(({ row, marks }) => [row, marks.length])).toEqual([
    [0, 2],
    [1, 2],
    [2, 1],
  ]);
  expect(rowsOf(places)).toBe(3);
});

test('a pause between points, and after the last one, is a gap', () => {
  const history = { columns: ['at'], step_ms: 2_000, points: [[10_000], [12_000], [60_000]] };
  expect(gapsOf(history, 62_000)).toEqual([{ fromMs: 14_000, toMs: 60_000 }]);
  expect(gapsOf(history, 90_000)).toEqual([
    { fromMs: 14_000, toMs: 60_000 },
    { fromMs: 62_000, toMs: 90_000 },
  ]);
  expect(gapsOf({ ...history, points: [] }, 90_000)).toEqual([]);
});

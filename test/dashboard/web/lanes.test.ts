import { gapsOf } from '../../../src/dashboard/web/dashboard/charts/chart-data.js';
import { barsOf } from '../../../src/dashboard/web/shared/lanes.js';
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

test('errors are drawn above warnings, and shorter bars above longer ones', () => {
  const records = [
    record(4, { error_code: 6209, severity: 'warning' }),
    record(3, { error_code: 6208, cleared_time_ms: 30_000 }),
    record(2, { error_code: 6207 }),
    record(1, { error_code: 6205, severity: 'warning' }),
  ];
  const drawn = barsOf('Video', records, [], 60_000).map(({ kind, toMs }) => `${kind} ${toMs}`);
  expect(drawn).toEqual(['warning 60000', 'warning 60000', 'error 60000', 'error 30000']);
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

import { brokenMs } from '../../../src/dashboard/web/shared/broken-time.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

const record = (fromMs: number, toMs?: number): ErrorView =>
  ({
    timestamp: new Date(fromMs).toISOString(),
    ...(toMs === undefined ? {} : { cleared_time: new Date(toMs).toISOString() }),
  }) as ErrorView;

test('time in which several errors were open counts once; an open one counts to the end', () => {
  expect(brokenMs([record(1_000, 5_000), record(3_000, 4_000), record(8_000)], 10_000)).toBe(6_000);
  expect(brokenMs([record(1_000, 5_000), record(4_000, 7_000)], 10_000)).toBe(6_000);
  expect(brokenMs([], 10_000)).toBe(0);
});

/** Eight hours with every frame of a light stream, across timestamp wraps. `npm test` crosses each wrap in minutes. */
import { expect, test } from '@jest/globals';
import { LIGHT } from '../rules/eight-hours.js';
import { judgeStream } from '../rules/harness.js';

test('raises no other record for 8 h that cross 2^24 and 2^32', () => {
  const run = judgeStream({ ...LIGHT, startMs: 2 ** 32 - 10_000_000, durationMs: 8 * 3_600_000 - 1000 });
  expect(run.records.map(({ error_code }) => error_code)).toEqual([6303, 6211, 6502]);
  expect(run.judge.health().streamTimeMs).toBeGreaterThan(28_790_000);
});

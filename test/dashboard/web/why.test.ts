/** The "Why" line below an open error. */
import { expect, test } from '@jest/globals';
import { whyOf } from '../../../src/dashboard/web/shared/live-text.js';
import type { ErrorView } from '../../../src/spec/error-view.js';

function record(fields: Partial<ErrorView>): ErrorView {
  return { sequence: 1, error_code: 6406, description: '', remediation: '', ...fields } as ErrorView;
}

const REMEDY = 'Lower the video bitrate to 1,400 kbps.';
const cause = (sequence: number, carried: string): ErrorView =>
  record({
    sequence,
    error_code: 6902,
    description: `[6902 UPLINK_TOO_SMALL] The uplink carries ${carried} of 2.5 Mbit/s. ${REMEDY}`,
    remediation: REMEDY,
  });

test('is the sentence of the newest record of the cause, without its remedy', () => {
  const fault = record({ cause: 6902 });
  expect(whyOf(fault, [cause(2, '1.9'), cause(3, '1.7'), fault])).toBe('The uplink carries 1.7 of 2.5 Mbit/s.');
});

test('is absent without a cause, and while its record has not arrived', () => {
  expect(whyOf(record({}), [cause(2, '1.9')])).toBeUndefined();
  expect(whyOf(record({ cause: 6901 }), [cause(2, '1.9')])).toBeUndefined();
});

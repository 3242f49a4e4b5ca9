/** Pictures of a running broadcast as a witness: what fails with them ends nothing, and a match does not wait for long. */

import { KEY_FRAMES } from '../../../src/detection/limits.js';
import { EarlyPictures, longestWaitMs } from '../../../src/detection/live-pictures.js';
import type { PictureDecoding } from '../../../src/ports/index.js';
import { memoryLog } from '../../support/store-harness.js';

const FRAME = { atMs: 2_000, flv: new Uint8Array() };
const SAMPLE = { session: 's', startMs: 1_000 };

test('pictures that cannot be hashed are no unhandled rejection where no match follows', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const decoder: PictureDecoding = {
    hasRoomForPicture: true,
    picture: () => {
      throw new RangeError('no picture');
    },
  };
  const early = new EarlyPictures(decoder, memoryLog());
  early.look(SAMPLE, [FRAME]);
  // Unhandled rejections are told after the promises of this turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(await early.pictures).toEqual([]);
});

test.each([
  [13_000, KEY_FRAMES.waitMs],
  [KEY_FRAMES.reportMs - 2_000, 2_000],
  [60_000, KEY_FRAMES.waitLeastMs],
])('a match with %i ms of sound waits for its pictures for at most %i ms', (length_ms, waitMs) => {
  expect(longestWaitMs({ length_ms })).toBe(waitMs);
});

/** Batches of small calls take turns with other requests. Time is counted in rendered rows. */

import { jest } from '@jest/globals';
import { ApiHarness } from '../support/api-harness.js';

/** Of ten fields, about. */
const ROW_MS = 0.1;
const ROWS = 100;
const BATCHES = 3;

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
  for (let n = 0; n < ROWS; n += 1) await harness.live();
});
afterAll(() => harness.close());

/** The most rows that are rendered while the event loop serves no socket. */
function countRows() {
  const counted = { inTurn: 0, most: 0, all: 0, isOver: false };
  const { urls } = harness.broadcasts;
  jest.spyOn(harness.broadcasts, 'urls').mockImplementation((live) => {
    counted.inTurn += 1;
    counted.all += 1;
    counted.most = Math.max(counted.most, counted.inTurn);
    harness.clock.advance(ROW_MS);
    return urls.call(harness.broadcasts, live);
  });
  const turn = () => {
    counted.inTurn = 0;
    if (!counted.isOver) setImmediate(turn);
  };
  turn();
  return counted;
}

test('concurrent batches of fifty pages leave the event loop to others after each slice', async () => {
  const url = `${harness.page}/live_videos?limit=${ROWS}&fields=secure_stream_url`;
  const batch = JSON.stringify(Array.from({ length: 50 }, () => ({ relative_url: url })));
  const counted = countRows();
  const answers = await Promise.all(Array.from({ length: BATCHES }, () => harness.post('/', { batch })));
  counted.isOver = true;
  for (const { body } of answers) {
    expect(body.map((each: { code: number }) => each.code)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(JSON.parse(body[49].body).data).toHaveLength(ROWS);
  }
  expect(counted.all).toBe(BATCHES * 50 * ROWS);
  expect(counted.most).toBeLessThan(2_000);
});

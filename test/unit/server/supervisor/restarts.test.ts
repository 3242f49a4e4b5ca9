import { Restarts } from '../../../../src/server/supervisor/slot.js';

test('a role that keeps ending is started after pauses that double, up to a bound', () => {
  const restarts = new Restarts();
  const pauses = Array.from({ length: 12 }, () => restarts.pauseAfter(100));
  expect(pauses.slice(0, 4)).toEqual([50, 100, 200, 400]);
  expect(pauses.at(-1)).toBe(10_000);
  expect(restarts.count).toBe(12);
});

test('a role that ran for a while is started at once, and its next pause is the first again', () => {
  const restarts = new Restarts();
  restarts.pauseAfter(100);
  restarts.pauseAfter(100);
  expect(restarts.pauseAfter(60_000)).toBe(0);
  expect(restarts.pauseAfter(100)).toBe(50);
});

/** Elapsed time of a broadcast across clock steps and restarts. */
import { JudgeClock } from '../../../src/judge/judge-clock.js';

const START = 1_700_000_000_000;

test('has no elapsed time offline, and the wall time of the start', () => {
  const clock = new JudgeClock(START);
  expect([clock.elapsedMs(5000), clock.wallMs(5000)]).toEqual([0, START]);
});

test('starts with its first call, at any value of the monotonic clock', () => {
  const clock = new JudgeClock(START);
  clock.set({ wallMs: START, atMs: 70_000 });
  expect([clock.elapsedMs(71_000), clock.wallMs(71_000)]).toEqual([1000, START + 1000]);
});

test('keeps the elapsed time when the wall clock is set', () => {
  const clock = new JudgeClock(START);
  clock.set({ wallMs: START, atMs: 0 });
  clock.set({ wallMs: START - 3_600_000, atMs: 1000 });
  expect([clock.elapsedMs(2000), clock.wallMs(2000)]).toEqual([2000, START - 3_600_000 + 1000]);
  clock.set({ wallMs: START + 3_600_000, atMs: 3000 });
  expect(clock.elapsedMs(3000)).toBe(3000);
});

test('clamps wall times before the last call to that call', () => {
  const clock = new JudgeClock(START);
  clock.set({ wallMs: START + 5000, atMs: 5000 });
  expect(clock.wallMs(4000)).toBe(START + 5000);
});

test.each([
  ['counts the time between two lease holders', 60_000, 10_000, 60_000],
  ['keeps the counted time when the wall clock is set back', -3_600_000, 10_000, 10_000],
])('after a restart %s', (_what, wallPassedMs, countedMs, elapsedMs) => {
  const clock = new JudgeClock(START + wallPassedMs);
  clock.restore(START, countedMs);
  expect([clock.startWallMs, clock.leastElapsedMs]).toEqual([START, countedMs]);
  clock.set({ wallMs: START + wallPassedMs, atMs: 500 });
  expect(clock.elapsedMs(500)).toBe(elapsedMs);
});

test('discards the earlier start on restart', () => {
  const clock = new JudgeClock(START);
  clock.set({ wallMs: START, atMs: 0 });
  clock.restart({ wallMs: START + 9000, atMs: 9000 });
  expect([clock.startWallMs, clock.elapsedMs(9500)]).toEqual([START + 9000, 500]);
});

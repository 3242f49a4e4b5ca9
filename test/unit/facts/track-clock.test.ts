/** Decode time: unwrapped by serial number arithmetic, jumps reported and excluded, continuous over connections. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  IN_ORDER,
  JUMPED,
  JUMPED_ALONG,
  RETURNED,
  TrackClock,
  WENT_BACK,
} from '../../../src/facts/measures/track-clock.js';
import { LIVE_MEASURES } from '../../../src/judge/measures.js';

const pair = (): [TrackClock, TrackClock] => [new TrackClock(LIVE_MEASURES), new TrackClock(LIVE_MEASURES)];

/** Feeds timestamps of one track; returns the order of each. */
function feed(clock: TrackClock, other: TrackClock, stamps: readonly number[]): number[] {
  return stamps.map((stamp) => clock.advance(stamp % 2 ** 32, other, 0));
}

describe('unwrapping', () => {
  test.each([
    ['2^24', 2 ** 24],
    ['2^31', 2 ** 31],
    ['2^32', 2 ** 32],
  ])('%s is not special', (_name, edge) => {
    const [clock, other] = pair();
    expect(feed(clock, other, [edge - 66, edge - 33, edge, edge + 33])).toEqual([0, 0, 0, 0]);
    expect(clock.timeMs).toBe(99);
    expect(clock.dtsMs).toBe(99);
  });

  test('sums the steps from any start', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        (start, steps) => {
          const [clock, other] = pair();
          let at = start;
          const stamps = [start, ...steps.map((step) => (at += step))];
          const orders = feed(clock, other, stamps);
          expect(new Set(orders)).toEqual(new Set([IN_ORDER]));
          expect(clock.timeMs).toBe(at - start);
        },
      ),
    );
  });
});

describe('jumps', () => {
  test('treats 5,000 ms as a step, and 5,001 ms as a jump that counts 5 s', () => {
    const [clock, other] = pair();
    expect(feed(clock, other, [0, 5000, 10_001])).toEqual([IN_ORDER, IN_ORDER, JUMPED]);
    expect(clock.timeMs).toBe(10_000);
    expect(clock.dtsMs).toBe(10_001);
  });

  test('treats up to 100 ms backward as disorder, up to 5 s as a jump, and more as a jump that counts no time', () => {
    const [clock, other] = pair();
    expect(feed(clock, other, [20_000, 19_900, 14_900, 9_899])).toEqual([IN_ORDER, WENT_BACK, JUMPED, JUMPED]);
    expect(clock.timeMs).toBe(-5100);
    expect(clock.highMs).toBe(0);
  });

  test('reports no jump after a silence during which the other track continued', () => {
    const [video, audio] = pair();
    feed(video, audio, [0]);
    feed(audio, video, [0]);
    for (let at = 1000; at <= 8000; at += 1000) feed(video, audio, [at]);
    expect(feed(audio, video, [8010])).toEqual([RETURNED]);
    expect(audio.timeMs).toBe(8010);
    // More than the other track accounts for is still a jump.
    for (let at = 9000; at <= 15_000; at += 1000) feed(video, audio, [at]);
    expect(feed(audio, video, [30_000])).toEqual([JUMPED]);
  });

  test('a jump of the other track to a near time counts as the same jump, otherwise as its own', () => {
    const [video, audio] = pair();
    feed(video, audio, [0, 33]);
    feed(audio, video, [0, 21]);
    expect(feed(video, audio, [60_000])).toEqual([JUMPED]);
    expect(feed(audio, video, [59_990])).toEqual([JUMPED_ALONG]);
    expect(feed(video, audio, [120_000])).toEqual([JUMPED]);
    expect(feed(audio, video, [90_000])).toEqual([JUMPED]);
  });
});

describe('the other track', () => {
  test('places its first frame by its timestamp', () => {
    const [video, audio] = pair();
    feed(video, audio, [1000]);
    feed(audio, video, [400]);
    expect(audio.timeMs).toBe(-600);
    expect(audio.dtsMs - video.dtsMs).toBe(-600);
    const [late, early] = pair();
    feed(late, early, [2 ** 32 - 100]);
    feed(early, late, [200]);
    expect(early.timeMs).toBe(300);
  });

  test('counts silence as the advance of the other track, until the next frame', () => {
    const [video, audio] = pair();
    feed(audio, video, [0]);
    feed(video, audio, [0, 1000, 2000, 2001]);
    expect([audio.silentMs, audio.isSilent]).toEqual([2001, true]);
    feed(audio, video, [2010]);
    expect([audio.silentMs, audio.isSilent, audio.flowsForMs]).toEqual([0, false, 0]);
    feed(audio, video, [2010 + 1500]);
    expect(audio.flowsForMs).toBe(1500);
  });

  test('continues stream time over a reconnect, from any timestamp', () => {
    const [clock, other] = pair();
    feed(clock, other, [0, 40, 80]);
    clock.reset();
    other.reset();
    clock.advance(3_600_000, other, 80);
    clock.advance(3_600_040, other, 80);
    expect(clock.timeMs).toBe(120);
    expect(clock.dtsMs).toBe(40);
  });
});

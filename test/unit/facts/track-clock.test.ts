/** Decode time: unwrapped by serial arithmetic, with jumps told and left out, continuous over connections. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LIVE_MEASURES } from '../../../src/broadcast/measures.js';
import { IN_ORDER, JUMPED, JUMPED_ALONG, RETURNED, TrackClock, WENT_BACK } from '../../../src/facts/track-clock.js';

const pair = (): [TrackClock, TrackClock] => [new TrackClock(LIVE_MEASURES), new TrackClock(LIVE_MEASURES)];

/** Stamps of one track; the order of each and the time at the end. */
function feed(clock: TrackClock, other: TrackClock, stamps: readonly number[]): number[] {
  return stamps.map((stamp) => clock.advance(stamp % 2 ** 32, other, 0));
}

describe('unwrapping', () => {
  test.each([
    ['2^24', 2 ** 24],
    ['2^31', 2 ** 31],
    ['2^32', 2 ** 32],
  ])('%s is a number like any other', (_name, edge) => {
    const [clock, other] = pair();
    expect(feed(clock, other, [edge - 66, edge - 33, edge, edge + 33])).toEqual([0, 0, 0, 0]);
    expect(clock.timeMs).toBe(99);
    expect(clock.dtsMs).toBe(99);
  });

  test('from any start, time is the sum of the steps', () => {
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
  test('5,000 ms are a step, 5,001 a jump of which 5 s are time', () => {
    const [clock, other] = pair();
    expect(feed(clock, other, [0, 5000, 10_001])).toEqual([IN_ORDER, IN_ORDER, JUMPED]);
    expect(clock.timeMs).toBe(10_000);
    expect(clock.dtsMs).toBe(10_001);
  });

  test('back by up to a beat is disorder, by more a jump; beyond 5 s of no time', () => {
    const [clock, other] = pair();
    expect(feed(clock, other, [20_000, 19_900, 14_900, 9_899])).toEqual([IN_ORDER, WENT_BACK, JUMPED, JUMPED]);
    expect(clock.timeMs).toBe(-5100);
    expect(clock.highMs).toBe(0);
  });

  test('after a silence through which the other track went on, time has passed and nothing has jumped', () => {
    const [video, audio] = pair();
    feed(video, audio, [0]);
    feed(audio, video, [0]);
    for (let at = 1000; at <= 8000; at += 1000) feed(video, audio, [at]);
    expect(feed(audio, video, [8010])).toEqual([RETURNED]);
    expect(audio.timeMs).toBe(8010);
    // More than the other track can account for is a jump all the same.
    for (let at = 9000; at <= 15_000; at += 1000) feed(video, audio, [at]);
    expect(feed(audio, video, [30_000])).toEqual([JUMPED]);
  });

  test('the other track that lands near jumps along, one that does not jumps for itself', () => {
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
  test('its first frame stands where its stamp says', () => {
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

  test('silence is what the other advanced, and ends with a frame', () => {
    const [video, audio] = pair();
    feed(audio, video, [0]);
    feed(video, audio, [0, 1000, 2000, 2001]);
    expect([audio.silentMs, audio.isSilent]).toEqual([2001, true]);
    feed(audio, video, [2010]);
    expect([audio.silentMs, audio.isSilent, audio.flowsForMs]).toEqual([0, false, 0]);
    feed(audio, video, [2010 + 1500]);
    expect(audio.flowsForMs).toBe(1500);
  });

  test('another connection goes on in stream time, from any stamp', () => {
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

/** Windows of complete buckets, compared with a naive count. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BucketGrid, EventWindow, RollingSum } from '../../../src/facts/measures/rolling.js';

describe('BucketGrid', () => {
  test('opens a bucket with the first time and completes one per width', () => {
    const grid = new BucketGrid(100);
    expect([7, 106, 107, 206, 207, 1000].map((time) => grid.advance(time))).toEqual([0, 0, 1, 0, 1, 7]);
  });

  test('keeps the bucket when time goes backward, and starts over on restart', () => {
    const grid = new BucketGrid(100);
    grid.advance(0);
    expect([250, 100, 299, 300].map((time) => grid.advance(time))).toEqual([2, 0, 0, 1]);
    grid.restart();
    expect([5000, 5099, 5100].map((time) => grid.advance(time))).toEqual([0, 0, 1]);
  });
});

describe('RollingSum', () => {
  test('is the sum of the last complete buckets, for both lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 60 }), (buckets) => {
        const sum = new RollingSum(4, 10);
        buckets.forEach((value, at) => {
          sum.add(value);
          sum.roll();
          const done = buckets.slice(0, at + 1);
          const last = (n: number) => done.slice(-n).reduce((a, b) => a + b, 0);
          expect([sum.shortSum, sum.longSum]).toEqual([last(4), last(10)]);
          expect([sum.shortIsFull, sum.longIsFull]).toEqual([done.length >= 4, done.length >= 10]);
        });
      }),
    );
  });

  test('forgets everything on restart', () => {
    const sum = new RollingSum(2, 3);
    for (const value of [1, 2, 3, 4]) {
      sum.add(value);
      sum.roll();
    }
    sum.restart();
    sum.add(10);
    sum.roll();
    expect([sum.shortSum, sum.longSum, sum.shortIsFull]).toEqual([10, 10, false]);
  });
});

describe('EventWindow', () => {
  test('measures the rate from event to event, exact despite whole-millisecond timestamps', () => {
    const grid = new BucketGrid(100);
    const window = new EventWindow(50);
    let rate = 0;
    for (let n = 0; n < 400; n++) {
      const time = Math.round((n * 1000) / 59.94);
      const moved = grid.advance(time);
      for (let i = 0; i < moved; i++) window.roll();
      if (moved > 0 && window.isFull(50)) rate = window.ratePerSecond(50, time);
      window.add(time);
    }
    expect(rate).toBeGreaterThan(59.92);
    expect(rate).toBeLessThan(59.96);
  });

  test('has no rate without events', () => {
    const window = new EventWindow(5);
    for (let i = 0; i < 5; i++) window.roll();
    expect(window.ratePerSecond(5, 500)).toBe(0);
    expect(window.firstOver(5)).toBeNaN();
  });
});

import { describe, expect, test } from '@jest/globals';
import { LoudnessMeter, lufsOf, powerOf } from '../../../src/facts/audio/loudness-meter.js';

function meterOf(...parts: readonly (readonly [lufs: number, samples: number])[]): LoudnessMeter {
  const meter = new LoudnessMeter();
  for (const [lufs, samples] of parts) for (let i = 0; i < samples; i++) meter.add(powerOf(lufs));
  return meter;
}

describe('loudness', () => {
  test('is unknown before the first sound', () => {
    expect(new LoudnessMeter().integratedLufs).toBeNaN();
    expect(meterOf([-99, 100]).integratedLufs).toBeNaN();
    expect(meterOf([-20, 8]).shortTermPower).toBeNaN();
  });

  test('is the level of a steady sound, to the width of a bin', () => {
    for (const lufs of [-60, -23, -14, 0]) {
      expect(Math.abs(meterOf([lufs, 100]).integratedLufs - lufs)).toBeLessThan(0.06);
      expect(lufsOf(meterOf([lufs, 9]).shortTermPower)).toBeCloseTo(lufs, 6);
    }
  });

  test('leaves out what is 10 LU below the mean, or below -70 LUFS', () => {
    expect(meterOf([-20, 300], [-45, 300]).integratedLufs).toBeCloseTo(-20, 0);
    expect(meterOf([-23, 300], [-80, 3000]).integratedLufs).toBeCloseTo(-23, 0);
    expect(meterOf([-20, 300], [-26, 300]).integratedLufs).toBeCloseTo(-22, 0);
  });

  test('measures the last ten minutes once they are complete', () => {
    expect(meterOf([-20, 1700]).windowLufs).toBeNaN();
    expect(meterOf([-20, 1800]).windowLufs).toBeCloseTo(-20, 2);
    expect(meterOf([-20, 1800], [-14, 1800]).windowLufs).toBeCloseTo(-14, 1);
    expect(meterOf([-20, 1800], [-99, 1900]).windowLufs).toBeNaN();
  });
});

test('samples half as dense count twice, and are gated in blocks of three', () => {
  const meter = new LoudnessMeter();
  for (let i = 0; i < 400; i++) meter.addDense(powerOf(-26), 4);
  for (let i = 0; i < 200; i++) meter.addDense(powerOf(-20), 8);
  expect(meter.integratedLufs).toBeCloseTo(-22, 1);
  const beats = new LoudnessMeter();
  for (let i = 0; i < 400; i++) beats.addDense(powerOf(i % 6 < 3 ? -20 : -65), 8);
  // Of each six blocks one is loud, two are loud in two samples, two in one, and one is quiet.
  expect(beats.integratedLufs).toBeCloseTo(-22.2, 1);
});

test('dense samples are gated in blocks of five, so that pauses of a second do not count', () => {
  const dense = new LoudnessMeter();
  const sparse = new LoudnessMeter();
  for (let i = 0; i < 400; i++) {
    const power = i % 24 < 12 ? powerOf(-20) : powerOf(-65);
    dense.addDense(power, 4);
    if (i % 4 !== 0) continue;
    dense.add(power, true);
    sparse.add(power);
  }
  expect(dense.integratedLufs).toBeGreaterThan(-22);
  expect(sparse.integratedLufs).toBeLessThan(dense.integratedLufs);
});

describe('blocks of a long file', () => {
  function withBlocks(meter: LoudnessMeter, lufs: number, blocks: number, frames = 256): LoudnessMeter {
    for (let i = 0; i < 4 * blocks; i++) meter.addToBlock(powerOf(lufs), frames);
    return meter;
  }

  test('count as much as the samples that they replace', () => {
    expect(withBlocks(meterOf([-26, 1600]), -20, 100).integratedLufs).toBeCloseTo(
      meterOf([-26, 1600], [-20, 1600]).integratedLufs,
      1,
    );
    expect(withBlocks(meterOf([-26, 3200]), -20, 100).integratedLufs).toBeLessThan(-22);
    expect(withBlocks(meterOf([-26, 400]), -20, 100).integratedLufs).toBeGreaterThan(-21.5);
  });

  test('count as much as the time that they stand for', () => {
    const meter = withBlocks(withBlocks(new LoudnessMeter(), -26, 100, 512), -20, 400, 128);
    expect(meter.integratedLufs).toBeCloseTo(-22, 1);
  });

  test('are gated each on its own', () => {
    const meter = new LoudnessMeter();
    for (let i = 0; i < 100; i++) withBlocks(withBlocks(meter, -20, 1), -65, 1);
    expect(meter.integratedLufs).toBeCloseTo(-20, 1);
  });

  test('fill the window of ten minutes and the last three seconds', () => {
    expect(withBlocks(new LoudnessMeter(), -20, 105).windowLufs).toBeNaN();
    const meter = withBlocks(new LoudnessMeter(), -20, 115);
    expect(meter.windowLufs).toBeCloseTo(-20, 2);
    expect(lufsOf(meter.shortTermPower)).toBeCloseTo(-20, 6);
  });
});

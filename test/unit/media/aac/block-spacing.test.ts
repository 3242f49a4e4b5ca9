import { expect, test } from '@jest/globals';
import { LoudnessMeter, lufsOf } from '../../../../src/facts/audio/loudness-meter.js';
import { BlockSpacing } from '../../../../src/media/aac/block-spacing.js';
import { FrameSampling, USE_BLOCK, USE_DENSE, USE_METER } from '../../../../src/media/aac/frame-sampling.js';

const RATE = 48_000;
/** 40 minutes. */
const FRAMES = 112_500;

function spacingAfter(blocks: number, powerOf: (block: number) => number): number {
  const spacing = new BlockSpacing();
  for (let i = 0; i < blocks; i++) spacing.add(powerOf(i));
  return spacing.frames;
}

test('blocks that differ much are close together until there are many', () => {
  expect(spacingAfter(200, () => 1e-3)).toBe(1024);
  expect(spacingAfter(200, () => 0)).toBe(1024);
  // A relative variance of 1: 400 blocks are enough.
  const onAndOff = (i: number) => (i % 2 === 0 ? 1e-3 : 0);
  expect([200, 398, 402, 1598, 1602, 6402].map((blocks) => spacingAfter(blocks, onAndOff))).toEqual([
    128, 128, 256, 256, 512, 1024,
  ]);
  // One loud block after many quiet ones.
  expect(spacingAfter(500, (i) => (i < 499 ? 1e-6 : 1e-2))).toBe(128);
});

/** The mean power of what is sampled after the fifth minute, over the mean of all. */
function sampledShare(powerOf: (frame: number) => number): number {
  const sampling = new FrameSampling();
  sampling.sampleFile();
  let [sum, weights, all, frames] = [0, 0, 0, 0];
  for (let i = 0; i < FRAMES; i++) {
    const { uses, blockFrames } = sampling;
    const power = powerOf(i);
    sampling.next(RATE);
    if ((uses & (USE_DENSE | USE_BLOCK)) !== 0) sampling.measured(uses, power);
    if (!sampling.isSparse) continue;
    all += power;
    frames++;
    if ((uses & USE_BLOCK) === 0) continue;
    sum += power * blockFrames;
    weights += blockFrames;
  }
  return sum / weights / (all / frames);
}

test('a rhythm that fits evenly spaced blocks is measured as any other', () => {
  for (const period of [32, 128, 255.7, 256, 512]) {
    for (const phase of [0, 0.25, 0.5, 0.75]) {
      const beat = (i: number) => ((i / period + phase) % 1 < 0.2 ? 1 : 0.03);
      const errorLu = 10 * Math.log10(sampledShare(beat));
      expect({ period, phase, isClose: Math.abs(errorLu) < 1 }).toEqual({ period, phase, isClose: true });
    }
  }
});

/** The loudness of five minutes of a stream, less that of all its frames. */
function streamErrorLu(powerOf: (frame: number) => number): number {
  const sampling = new FrameSampling();
  const meter = new LoudnessMeter();
  const frames = 14_400;
  let all = 0;
  for (let i = 0; i < frames; i++) {
    const power = powerOf(i);
    all += power;
    if ((sampling.uses & USE_METER) !== 0) meter.add(power);
    sampling.next(RATE);
  }
  return meter.integratedLufs - lufsOf(all / frames);
}

// Of beats further apart, the standard leaves out the blocks of 0.4 s between them.
test('short beats of a stream are measured within 2 LU, also if they are as far apart as the samples', () => {
  for (const period of [8, 12.3, 16, 18.7]) {
    for (const phase of [0, 0.25, 0.5, 0.75]) {
      const beat = (i: number) => 0.1 * Math.exp(-((i + phase * period) % period)) + 1e-4;
      expect({ period, phase, isClose: Math.abs(streamErrorLu(beat)) < 2 }).toEqual({ period, phase, isClose: true });
    }
  }
});

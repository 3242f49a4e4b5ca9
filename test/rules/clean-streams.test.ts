/** No false positives: every profile at its frame rates passes every rule. */
import { describe, expect, test } from '@jest/globals';
import type { SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun } from './harness.js';

const PROFILES: readonly (SynthOptions & { readonly name: string })[] = [
  { name: '1080p60', width: 1920, height: 1080, fps: 60, levelIdc: 42, videoKbps: 6000 },
  { name: '1080p30', width: 1920, height: 1080, fps: 30, levelIdc: 40, videoKbps: 4500 },
  { name: '720p60', width: 1280, height: 720, fps: 60, levelIdc: 32, videoKbps: 4000 },
  { name: '720p30', width: 1280, height: 720, fps: 30, levelIdc: 31, videoKbps: 2500 },
  { name: '480p30', width: 854, height: 480, fps: 30, levelIdc: 31, videoKbps: 1200 },
  { name: '480p30 as OBS lists it', width: 852, height: 480, fps: 30, levelIdc: 31, videoKbps: 1200 },
  { name: '360p30', width: 640, height: 360, fps: 30, levelIdc: 30, videoKbps: 700 },
  { name: '360p60', width: 640, height: 360, fps: 60, levelIdc: 31, videoKbps: 700 },
];

describe('clean streams raise nothing', () => {
  test.each(PROFILES)('$name', ({ name: _name, ...profile }) => {
    expect(codesOf({ ...profile, durationMs: 70_000 })).toEqual([]);
  });

  test.each([23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60])('720p at %d fps with B pictures', (fps) => {
    const options = { fps, levelIdc: 32, videoKbps: 3000, bFrames: 2, durationMs: 70_000 };
    expect(codesOf(options)).toEqual([]);
  });

  test.each([2 ** 24 - 5000, 2 ** 31 - 5000, 2 ** 32 - 5000, 2 ** 32 - 1, 123_456_789])(
    'timestamps that begin at %d',
    (startMs) => {
      expect(codesOf({ startMs, durationMs: 30_000 })).toEqual([]);
    },
  );

  test('passes at both ends of a range', () => {
    expect(codesOf({ videoKbps: 1500, durationMs: 70_000 })).toEqual([]);
    expect(codesOf({ videoKbps: 4000, durationMs: 70_000 })).toEqual([]);
  });

  test('passes with 44.1 kHz audio, B pictures, filler and parameter sets at each key frame', () => {
    expect(codesOf({ sampleRate: 44_100, bFrames: 3, fillerShare: 0.4, durationMs: 30_000 })).toEqual([]);
  });

  test('passes live, in real time', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 70_000 }).disconnect().end();
    expect(run.codes).toEqual([]);
  });

  test('judges every media rule within 70 s', () => {
    const { judge } = judgeStream({ durationMs: 70_000 });
    const unjudged = judge.verdict().filter(({ judged }) => judged === 'not-judged');
    // Causes need a clock, or an encoder that reports.
    const causes = [6901, 6902, 6903, 6904, 6905, 6906, 6907, 6908];
    const expected = [
      6101,
      6217,
      6406,
      6407,
      6503,
      6504,
      6505,
      6506,
      6507,
      6508,
      6509,
      6511,
      6512,
      6513,
      6601,
      6602,
      6806,
      6821,
      6822,
      ...causes,
    ];
    expect(unjudged.map(({ code }) => code)).toEqual(expected);
    expect(judge.verdict().filter(({ judged }) => judged === 'fail' || judged === 'warn')).toEqual([]);
  });
});

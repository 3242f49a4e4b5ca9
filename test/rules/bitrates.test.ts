/** Bitrate rules: 6210, 6211, 6305, 6306. Means are over full windows of media time. */
import { describe, expect, test } from '@jest/globals';
import { bitrateRange } from '../../src/rules/profile.js';
import { LIVE } from '../../src/spec/live.js';
import type { SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, only, timesOf } from './harness.js';

const bitrateCodes = (options: SynthOptions): number[] =>
  codesOf(options).filter((code) => [6210, 6211, 6305, 6306].includes(code));

describe('6210 VIDEO_BITRATE_TOO_HIGH', () => {
  test('tolerates 1.10 times the maximum and reports slightly more', () => {
    // Frames of equal size, so that the mean of the window is exact to one frame.
    const flat: SynthOptions = { keyFrameWeight: 1, durationMs: 30_000 };
    expect(bitrateCodes({ ...flat, videoKbps: 4380 })).toEqual([]);
    const run = judgeStream({ ...flat, videoKbps: 4430 });
    const record = only(run, 6210);
    expect(record).toMatchObject({ limit: 4000, unit: 'kbps', severity: 'error' });
    expect(record.observed).toBeGreaterThan(4400);
    expect(record.stream_time_ms).toBeGreaterThanOrEqual(13_000);
    expect(record.stream_time_ms).toBeLessThanOrEqual(13_100);
  });

  test('applies 1.05 times the maximum to the mean of a minute', () => {
    expect(bitrateCodes({ videoKbps: 4180, durationMs: 80_000 })).toEqual([]);
    const run = judgeStream({ videoKbps: 4250, durationMs: 80_000 });
    const record = only(run, 6210);
    expect(record.stream_time_ms).toBeGreaterThanOrEqual(60_000);
    expect(record.stream_time_ms).toBeLessThanOrEqual(60_100);
    expect(record.observed).toBeGreaterThan(4200);
  });

  test('ignores a burst above the bound shorter than 3 s', () => {
    const burst: SynthOptions = {
      videoKbps: 2500,
      durationMs: 40_000,
      changes: [
        { atMs: 20_000, videoKbps: 12_000 },
        { atMs: 22_000, videoKbps: 2500 },
      ],
    };
    // 2 s at 12 Mbit/s raise the mean of 10 s to 4,400 kbps: not above.
    expect(bitrateCodes(burst)).toEqual([]);
  });

  test('clears after both means are inside for 10 s and counts a recurrence within a minute', () => {
    const run = judgeStream({
      videoKbps: 5000,
      durationMs: 130_000,
      changes: [
        { atMs: 20_000, videoKbps: 2000 },
        { atMs: 60_000, videoKbps: 6000 },
        { atMs: 80_000, videoKbps: 2000 },
      ],
    });
    const record = only(run, 6210);
    expect(record.count).toBe(2);
    expect(record.worst).toBeGreaterThan(5900);
    expect(timesOf(run, 6210, 'counted').length).toBeGreaterThanOrEqual(1);
    const [first] = timesOf(run, 6210, 'cleared');
    expect(first).toBeGreaterThanOrEqual(30_000);
    expect(first).toBeLessThanOrEqual(40_000);
  });

  test('counts filler but not sequence headers', () => {
    expect(bitrateCodes({ videoKbps: 5000, fillerShare: 0.8, durationMs: 20_000 })).toEqual([6210]);
    const { judge } = judgeStream({ videoKbps: 2500, durationMs: 20_000 });
    expect(judge.health().videoBitrateKbps).toBe(2500);
  });
});

describe('6211 VIDEO_BITRATE_TOO_LOW', () => {
  test('tolerates 0.90 times the minimum and reports less after 10 s', () => {
    const flat: SynthOptions = { keyFrameWeight: 1, durationMs: 30_000 };
    expect(bitrateCodes({ ...flat, videoKbps: 1365 })).toEqual([]);
    const run = judgeStream({ ...flat, videoKbps: 1335 });
    const record = only(run, 6211);
    expect(record).toMatchObject({ limit: 1500, severity: 'warning' });
    expect(record.stream_time_ms).toBeGreaterThanOrEqual(20_000);
    expect(record.stream_time_ms).toBeLessThanOrEqual(20_100);
  });

  test('ignores 8 s of a static picture', () => {
    const still: SynthOptions = {
      durationMs: 60_000,
      changes: [
        { atMs: 20_000, videoKbps: 300 },
        { atMs: 28_000, videoKbps: 2500 },
      ],
    };
    expect(bitrateCodes(still)).toEqual([]);
  });
});

describe('ranges by profile', () => {
  test.each(LIVE.profiles.map((row) => [row.name, row] as const))('%s has the published range', (_name, row) => {
    const { min, max } = row.videoBitrateKbps;
    expect(bitrateRange(row.width, row.height, row.fps ?? 30)).toEqual({ minKbps: min, maxKbps: max, name: row.name });
  });

  test('derives ranges for unlisted sizes and classes', () => {
    const range = (width: number, height: number, fps: 30 | 60) => {
      const { minKbps, maxKbps } = bitrateRange(width, height, fps);
      return [minKbps, maxKbps];
    };
    expect(range(852, 480, 30)).toEqual([600, 2000]);
    expect(range(640, 360, 60)).toEqual([400, 1000]);
    // 480p at 60 fps uses the row of 480p at 30 fps.
    expect(range(854, 480, 60)).toEqual([600, 2000]);
    expect(range(960, 540, 30)).toEqual([600, 4000]);
    expect(range(960, 540, 60)).toEqual([400, 6000]);
    expect(range(320, 180, 30)).toEqual([0, 1000]);
    expect(range(2560, 1440, 30)).toEqual([3000, 6000]);
    expect(range(720, 1280, 30)).toEqual([400, 6000]);
  });
});

describe('6305 AUDIO_BITRATE_TOO_HIGH and 6306 AUDIO_BITRATE_ABOVE_PREFERRED', () => {
  test('tolerates 268.8 kbps for 6305 and 140.8 kbps for 6306', () => {
    expect(bitrateCodes({ audioKbps: 140, durationMs: 40_000 })).toEqual([]);
    expect(bitrateCodes({ audioKbps: 142, durationMs: 40_000 })).toEqual([6306]);
    expect(bitrateCodes({ audioKbps: 268, durationMs: 40_000 })).toEqual([6306]);
    expect(bitrateCodes({ audioKbps: 271, durationMs: 40_000 })).toEqual([6305, 6306]);
  });

  test('are raised one window plus 3 s and one window plus 10 s after the bitrate rises', () => {
    const run = judgeStream({ audioKbps: 320, durationMs: 40_000 });
    expect(only(run, 6305).stream_time_ms).toBeLessThanOrEqual(13_200);
    expect(only(run, 6306).stream_time_ms).toBeGreaterThanOrEqual(20_000);
    expect(only(run, 6306).stream_time_ms).toBeLessThanOrEqual(20_200);
  });
});

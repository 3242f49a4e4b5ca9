/** 6206, 6408, and the frame-rate class that other rules use. */
import { describe, expect, test } from '@jest/globals';
import type { SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun, only, timesOf } from './harness.js';

const FAST: SynthOptions = { levelIdc: 42, videoKbps: 3000 };

describe('6206 VIDEO_FRAME_RATE_UNSUPPORTED', () => {
  test('tolerates 60.4 fps and reports 60.7 fps', () => {
    expect(codesOf({ ...FAST, fps: 60.4, durationMs: 20_000 })).toEqual([]);
    const run = judgeStream({ ...FAST, fps: 60.7, durationMs: 20_000 });
    const record = only(run, 6206);
    expect(record).toMatchObject({ limit: 60, unit: 'fps' });
    expect(record.observed).toBeCloseTo(60.7, 1);
    expect(record.stream_time_ms).toBeGreaterThanOrEqual(10_000);
    expect(record.stream_time_ms).toBeLessThanOrEqual(10_200);
  });

  test('limits 480p to 30 fps but not 360p', () => {
    const at = (width: number, height: number, fps: number) =>
      codesOf({ width, height, fps, levelIdc: 31, videoKbps: 800, durationMs: 20_000 });
    expect(at(854, 480, 30.4)).toEqual([]);
    expect(at(854, 480, 30.7)).toEqual([6206]);
    expect(at(640, 360, 60)).toEqual([]);
  });

  test('ignores a burst within the mean and clears after 10 s inside', () => {
    const burst = (ms: number, fps: number): SynthOptions => ({
      ...FAST,
      fps: 60,
      durationMs: 50_000,
      changes: [
        { atMs: 10_000, fps },
        { atMs: 10_000 + ms, fps: 60 },
      ],
    });
    expect(codesOf(burst(1000, 62))).toEqual([]);
    const run = judgeStream(burst(10_000, 75));
    const [clearedAtMs] = timesOf(run, 6206, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(30_000);
    expect(clearedAtMs).toBeLessThanOrEqual(35_200);
  });
});

describe('frame-rate class', () => {
  const classOf = (options: SynthOptions): number | undefined =>
    judgeStream({ ...FAST, ...options }).judge.health().frameRateClass;

  test('settles after 3 s: 60 above 45 fps, else 30', () => {
    expect(classOf({ fps: 30, durationMs: 2900 })).toBeUndefined();
    expect(classOf({ fps: 30, durationMs: 3100 })).toBe(30);
    expect(classOf({ fps: 45, durationMs: 4000 })).toBe(30);
    expect(classOf({ fps: 46, durationMs: 4000 })).toBe(60);
    expect(classOf({ fps: 50, durationMs: 4000 })).toBe(60);
  });

  test('changes only after 10 s above 50 or below 40 fps', () => {
    const change = (from: number, to: number, afterMs: number) =>
      classOf({ fps: from, durationMs: 10_000 + afterMs, changes: [{ atMs: 10_000, fps: to }] });
    expect(change(30, 60, 9_000)).toBe(30);
    expect(change(30, 60, 11_500)).toBe(60);
    expect(change(30, 49, 30_000)).toBe(30);
    expect(change(60, 30, 9_000)).toBe(60);
    expect(change(60, 30, 11_500)).toBe(30);
    expect(change(60, 41, 30_000)).toBe(60);
  });

  test('ignores the timing in the SPS: 1e9 fps there, 30 fps measured', () => {
    const timing = { numUnitsInTick: 1, timeScale: 2_000_000_000 };
    expect(classOf({ fps: 30, durationMs: 4000, sps: { vui: { timing } } })).toBe(30);
  });
});

describe('fewer frames under the same header', () => {
  const SLOWER: SynthOptions = { ...FAST, fps: 60, durationMs: 60_000, changes: [{ atMs: 10_000, fps: 30 }] };
  /** 60 fps, of which each inter frame after 10 s is kept by the toss of a coin. */
  const LOSSY: SynthOptions = {
    ...FAST,
    fps: 60,
    durationMs: 60_000,
    edit: (frame) => (frame.role === 'interFrame' && frame.atMs > 10_000 && isTails(frame.index) ? [] : [frame]),
  };
  const live = (options: SynthOptions) => new LiveRun({ mode: 'live' }).connect().goLive().send(options);
  const codes = (records: readonly { error_code: number }[]) =>
    records.map(({ error_code }) => error_code).filter((code) => code === 6403 || code === 6408);

  test('are other settings when they come at a steady lower rate for 10 s, live and in a file', () => {
    for (const records of [judgeStream(SLOWER).records, live(SLOWER).records]) {
      const change = records.find(({ error_code }) => error_code === 6403);
      expect(change?.changes).toEqual([{ setting: 'frame_rate_class', before: 60, after: 30 }]);
      expect(change?.stream_time_ms).toBeGreaterThanOrEqual(20_000);
      expect(change?.stream_time_ms).toBeLessThanOrEqual(21_200);
    }
  });

  test('count as missing only until the lower rate is the class', () => {
    const run = judgeStream(SLOWER);
    expect(codes(run.records)).toEqual([6408, 6403]);
    expect(only(run, 6408).cleared_time_ms).toBeDefined();
    expect(timesOf(run, 6408, 'cleared')[0]).toBeLessThan(36_000);
  });

  test('are the first settings again when the higher rate returns', () => {
    const changes = [
      { atMs: 10_000, fps: 30 },
      { atMs: 30_000, fps: 60 },
    ];
    const run = judgeStream({ ...SLOWER, changes });
    expect(only(run, 6403).cleared_time_ms).toBeDefined();
  });

  test('are missing, not other settings, when half of them are lost at random, live and in a file', () => {
    const run = judgeStream(LOSSY);
    expect(codes(run.records)).toEqual([6408]);
    expect(run.judge.health().frameRateClass).toBe(60);
    const lossy = live(LOSSY);
    expect(codes(lossy.records)).toEqual([6408]);
    expect(lossy.judge.health().frameRateClass).toBe(60);
  });

  test('are other settings after a reconnect too', () => {
    const run = new LiveRun()
      .connect()
      .goLive()
      .send({ ...FAST, fps: 60, durationMs: 10_000 });
    run
      .disconnect()
      .wait(1000)
      .connect()
      .send({ ...FAST, fps: 30, durationMs: 20_000 });
    expect(codes(run.records)).toEqual([6403]);
  });
});

/** The same for an index each time, and for no pattern of them. */
function isTails(index: number): boolean {
  const mixed = Math.imul(index ^ (index >>> 7), 2_654_435_761);
  return Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519) >>> 31 === 1;
}

describe('6408 FRAMES_DROPPED', () => {
  /** Drops every n-th frame after the first 5 s. */
  const dropping = (every: number): SynthOptions => ({
    durationMs: 40_000,
    edit: (frame) => (frame.role === 'interFrame' && frame.atMs > 5000 && frame.index % every === 1 ? [] : [frame]),
  });

  test('tolerates 2 % missing frames and reports 2.5 %', () => {
    expect(codesOf(dropping(50))).toEqual([]);
    const run = judgeStream(dropping(40));
    const record = only(run, 6408);
    expect(record.observed).toBeGreaterThan(2);
    expect(record.worst).toBeLessThan(3);
    expect(record.limit).toBe(2);
  });

  test('reports a gap of 1 s once the window is full and clears after the gap leaves it', () => {
    const gap: SynthOptions = {
      durationMs: 60_000,
      keyFrameIntervalMs: 1000,
      edit: (frame) => (frame.kind === 'video' && frame.atMs > 20_000 && frame.atMs < 20_900 ? [] : [frame]),
    };
    const run = judgeStream(gap);
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6408]);
    expect(only(run, 6408).stream_time_ms).toBeLessThanOrEqual(21_000);
    const [clearedAtMs] = timesOf(run, 6408, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(40_000);
    expect(clearedAtMs).toBeLessThanOrEqual(41_200);
  });

  test('reports nothing for uneven timestamps or a change to another steady rate', () => {
    const jitter = [0, 14, -13, 9, -5, 12, -14, 3];
    const uneven: SynthOptions = {
      durationMs: 40_000,
      edit: (frame) =>
        frame.kind === 'video' && frame.index > 0
          ? [{ ...frame, timestampMs: frame.timestampMs + (jitter[frame.index % jitter.length] as number) }]
          : [frame],
    };
    expect(codesOf(uneven)).not.toContain(6408);
    expect(codesOf({ durationMs: 40_000, changes: [{ atMs: 10_000, fps: 25 }] })).toEqual([]);
  });

  test('expects no frames of a variable rate', () => {
    const variable: SynthOptions = {
      durationMs: 40_000,
      keyFrameIntervalMs: 1000,
      edit: (frame) => (frame.role === 'interFrame' && Math.imul(frame.index, 2_654_435_761) >>> 28 < 8 ? [] : [frame]),
    };
    expect(codesOf(variable)).not.toContain(6408);
  });
});

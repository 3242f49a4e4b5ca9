/** Rules on key frames: 6208, 6209, 6214, 6215. */
import { describe, expect, test } from '@jest/globals';
import { seiRecoveryPoint } from '../support/h264-writer.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun, only, timesOf } from './harness.js';

describe('6208 KEY_FRAME_INTERVAL_TOO_LONG', () => {
  test('accepts 4.000 s and 120 frames at 29.97 fps (4,004 ms)', () => {
    expect(codesOf({ keyFrameIntervalMs: 4000, durationMs: 30_000 })).not.toContain(6208);
    expect(codesOf({ keyFrameIntervalMs: 4004, fps: 29.97, durationMs: 30_000 })).not.toContain(6208);
  });

  /** Frames every 10 ms, so that the bound is hit within 10 ms. */
  const fine: SynthOptions = { fps: 100, levelIdc: 42, durationMs: 4500 };
  const shifted = (offsetMs: number, atMs: number): SynthOptions => ({
    ...fine,
    keyFrameIntervalMs: 60_000,
    edit: (frame) =>
      frame.kind === 'video' && frame.atMs > atMs ? [] : [{ ...frame, timestampMs: frame.timestampMs + offsetMs }],
  });

  test('accepts a frame 4,050 ms after the key frame and reports one at 4,051 ms', () => {
    expect(codesOf(shifted(0, 4050))).not.toContain(6208);
    const late: SynthOptions = {
      ...fine,
      keyFrameIntervalMs: 60_000,
      edit: (frame) => {
        if (frame.kind === 'video' && frame.atMs > 4050) return [];
        return [frame.atMs === 4050 && frame.kind === 'video' ? { ...frame, timestampMs: 4051 } : frame];
      },
    };
    expect(only(judgeStream(late), 6208)).toMatchObject({ observed: 4051, limit: 4000, stream_time_ms: 4051 });
  });

  test('shows the age of the last key frame in health, also when the next one is overdue', () => {
    const run = new LiveRun().connect();
    expect(run.judge.health().sinceKeyFrameMs).toBeUndefined();
    run.send({ durationMs: 2000, keyFrameIntervalMs: 1000, edit: (frame) => (frame.atMs > 1_700 ? [] : [frame]) });
    expect(run.judge.health()).toMatchObject({ keyFrameIntervalMs: 1000, sinceKeyFrameMs: 700 });
    const late = new LiveRun().connect().send({ durationMs: 4_500, keyFrameIntervalMs: 60_000 });
    expect(late.codes).toContain(6208);
    expect(late.judge.health().keyFrameIntervalMs).toBeUndefined();
    expect(late.judge.health().sinceKeyFrameMs).toBeGreaterThan(4_400);
  });

  test.each([24, 25, 29.97, 30, 50, 60])(
    'is raised within 100 ms of the bound at %d fps, before the key frame arrives',
    (fps) => {
      const run = judgeStream({ fps, levelIdc: 32, keyFrameIntervalMs: 9000, durationMs: 20_000 });
      const record = only(run, 6208);
      expect(record.stream_time_ms).toBeGreaterThan(4050);
      expect(record.stream_time_ms).toBeLessThanOrEqual(4150);
      expect(record.count).toBe(1);
      expect(record.worst).toBeGreaterThanOrEqual(9000);
      expect(record.worst).toBeLessThanOrEqual(9009);
    },
  );

  test('has the key frame and the latest frame as evidence', () => {
    const { evidence } = only(judgeStream({ keyFrameIntervalMs: 6000, durationMs: 15_000 }), 6208);
    expect(evidence.first).toMatchObject({ kind: 'video', decodeTimeMs: 0, nalTypes: [5] });
    expect(evidence.last).toMatchObject({ kind: 'video', decodeTimeMs: 12_000, nalTypes: [5] });
    expect(evidence.last.messageNumber).toBeGreaterThan(evidence.first.messageNumber);
    expect(evidence.last.byteOffset).toBeGreaterThan(evidence.first.byteOffset);
  });

  test('clears after three conforming intervals', () => {
    const run = judgeStream({
      keyFrameIntervalMs: 6000,
      durationMs: 24_000,
      changes: [{ atMs: 12_000, keyFrameIntervalMs: 2000 }],
    });
    // Key frames at 0, 6, 12, 14, 16, 18: the intervals that end at 14, 16 and 18 conform.
    expect(timesOf(run, 6208, 'cleared')).toEqual([18_000]);
  });

  test('excludes a stalled uplink and a clock jump from the interval', () => {
    const jumped: SynthOptions = {
      durationMs: 12_000,
      edit: (frame) => [{ ...frame, timestampMs: frame.timestampMs + (frame.atMs > 5000 ? 60_000 : 0) }],
    };
    expect(codesOf(jumped)).toEqual([6404]);
  });

  test('measures from the first frame of a stream without key frames', () => {
    const run = judgeStream({ keyFrameKind: 'nonIdr', durationMs: 6000 });
    expect(only(run, 6208).stream_time_ms).toBeLessThanOrEqual(4150);
  });

  test('does not count intra refresh (recovery_frame_cnt above 0) as a key frame', () => {
    const stream: SynthOptions = { keyFrameKind: 'nonIdr', keyFrameNals: [seiRecoveryPoint(30)], durationMs: 6000 };
    expect(codesOf(stream)).toEqual([6208, 6224]);
  });
});

describe('6209 KEY_FRAME_INTERVAL_ABOVE_RECOMMENDED', () => {
  test('is not judged after one interval of 3 s', () => {
    const judgedOf = (durationMs: number) =>
      judgeStream({ keyFrameIntervalMs: 3000, durationMs })
        .judge.verdict()
        .find(({ code }) => code === 6209)?.judged;
    expect([judgedOf(5000), judgedOf(12_000)]).toEqual(['not-judged', 'warn']);
  });

  test('accepts 2.1 s and reports 2.2 s from the third interval on', () => {
    expect(codesOf({ keyFrameIntervalMs: 2100, durationMs: 20_000 })).toEqual([]);
    const run = judgeStream({ keyFrameIntervalMs: 2200, durationMs: 20_000 });
    expect(only(run, 6209)).toMatchObject({ observed: 2200, limit: 2000, stream_time_ms: 6600, severity: 'warning' });
  });

  test('restarts the count at an interval above the maximum', () => {
    const keys = [0, 3000, 6000, 12_000, 15_000, 18_000];
    const stream = { keyFrameIntervalMs: 1000, durationMs: 19_000 };
    expect(codesOf(keyFramesAt(keys, stream))).toEqual([6208]);
  });

  test('clears after three conforming intervals', () => {
    const run = judgeStream({
      keyFrameIntervalMs: 3000,
      durationMs: 20_000,
      changes: [{ atMs: 9000, keyFrameIntervalMs: 2000 }],
    });
    expect(timesOf(run, 6209, 'raised')).toEqual([9000]);
    expect(timesOf(run, 6209, 'cleared')).toEqual([15_000]);
  });
});

describe('6214 VIDEO_OPEN_GOP', () => {
  test('treats a recovery point with recovery_frame_cnt 0 as a key frame of an open GOP', () => {
    const run = judgeStream({ keyFrameKind: 'nonIdr', keyFrameNals: [seiRecoveryPoint()], durationMs: 8000 });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6214]);
    expect(only(run, 6214)).toMatchObject({ observed: 'a recovery point', stream_time_ms: 0 });
  });

  test('clears after three key frames that are IDRs', () => {
    const run = judgeStream({
      keyFrameKind: 'nonIdr',
      keyFrameNals: [seiRecoveryPoint()],
      durationMs: 14_000,
      changes: [{ atMs: 4000, keyFrameKind: 'idr', keyFrameNals: [], nalLengthSize: 4 }],
    });
    expect(timesOf(run, 6214, 'cleared')).toEqual([8000]);
  });
});

describe('6215 KEY_FRAMES_TOO_FREQUENT', () => {
  test('accepts two key frames per second', () => {
    expect(codesOf({ keyFrameIntervalMs: 500, durationMs: 20_000 })).toEqual([]);
    expect(codesOf({ keyFrameIntervalMs: 500, fps: 60, levelIdc: 32, videoKbps: 3000, durationMs: 20_000 })).toEqual(
      [],
    );
  });

  test('is raised after 5 s of more and clears after 10 s of fewer', () => {
    const run = judgeStream({
      keyFrameIntervalMs: 400,
      durationMs: 35_000,
      changes: [{ atMs: 12_000, keyFrameIntervalMs: 2000 }],
    });
    expect(only(run, 6215)).toMatchObject({ observed: 2.5, limit: 2, severity: 'warning' });
    expect(only(run, 6215).stream_time_ms).toBeLessThanOrEqual(5600);
    const [clearedAtMs] = timesOf(run, 6215, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(22_000);
    expect(clearedAtMs).toBeLessThanOrEqual(30_000);
  });

  test('ignores a burst of scene cuts', () => {
    const keys = [0, 2000, 2200, 2400, 2600, 4000, 6000, 8000, 10_000, 12_000];
    expect(codesOf(keyFramesAt(keys, { durationMs: 13_000 }))).toEqual([]);
  });
});

/** A 30 fps stream with key frames at exactly these times. */
function* keyFramesAt(times: readonly number[], options: SynthOptions): Generator<SynthMessage> {
  const sample = [...synthStream({ ...options, durationMs: 100, metadata: false })].filter(
    ({ kind }) => kind === 'video',
  );
  const [, key, inter] = sample as [SynthMessage, SynthMessage, SynthMessage];
  const isKey = (timestampMs: number): boolean => times.some((time) => Math.abs(time - timestampMs) < 16);
  for (const message of synthStream({ ...options, metadata: false })) {
    const isFrame = message.kind === 'video' && message.payload[1] === 1;
    yield isFrame ? { ...message, payload: (isKey(message.timestampMs) ? key : inter).payload } : message;
  }
}

/** Presence and timing of tracks: 6401, 6402, 6404, 6405, 6216. */
import { describe, expect, test } from '@jest/globals';
import { enhancedVideo } from '../support/flv-writer.js';
import { type SynthFrame, type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun, only, timesOf } from './harness.js';

const without =
  (kind: 'video' | 'audio', fromMs: number, toMs: number) =>
  (frame: SynthFrame): SynthMessage[] =>
    frame.kind === kind && frame.role !== 'config' && frame.atMs > fromMs && frame.atMs < toMs ? [] : [frame];

describe('6401 VIDEO_MISSING and 6402 AUDIO_MISSING', () => {
  test.each([
    ['video', 6401],
    ['audio', 6402],
  ] as const)('reports %s that stops once the other track is 5 s ahead and clears after 2 s of flow', (kind, code) => {
    const run = judgeStream({ durationMs: 30_000, keyFrameIntervalMs: 1000, edit: without(kind, 8000, 20_000) });
    const record = only(run, code);
    expect(record.stream_time_ms).toBeGreaterThan(12_900);
    expect(record.stream_time_ms).toBeLessThanOrEqual(13_150);
    expect(record.observed).toBeGreaterThan(5000);
    expect(record.limit).toBe(5000);
    const [clearedAtMs] = timesOf(run, code, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(21_950);
    expect(clearedAtMs).toBeLessThanOrEqual(22_150);
  });

  test('tolerate a pause of 5 s', () => {
    expect(codesOf({ durationMs: 20_000, edit: without('audio', 8000, 12_950) })).toEqual([]);
  });

  test('report a track that never starts after 5 s of the other track', () => {
    expect(only(judgeStream({ durationMs: 8000, audio: false }), 6402).stream_time_ms).toBeLessThanOrEqual(5150);
    expect(codesOf({ durationMs: 5000, audio: false })).toEqual([]);
    expect(codesOf({ durationMs: 8000, video: false })).toEqual([6401]);
  });

  test('tolerate video 4 s late and report it 10 s late', () => {
    const late = (ms: number): SynthOptions => ({ durationMs: 20_000, edit: without('video', -1, ms) });
    expect(codesOf(late(4000))).toEqual([]);
    const run = judgeStream(late(10_000));
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6401]);
    expect(timesOf(run, 6401, 'cleared')[0]).toBeGreaterThanOrEqual(12_000);
  });

  test('ignore frames before the first header', () => {
    const noHeader: SynthOptions = {
      durationMs: 8000,
      edit: (frame) => (frame.kind === 'video' && frame.role === 'config' ? [] : [frame]),
    };
    const run = judgeStream(noHeader);
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6225, 6401]);
    expect(run.judge.valid).toBe(true);
  });

  test('are raised live 5 s after a publish without data', () => {
    const run = new LiveRun().connect().goLive().wait(5000);
    expect(run.codes).toEqual([]);
    run.wait(200);
    expect(run.codes).toEqual([6401, 6402, 6406]);
  });

  test('leave timestamps 6 s apart on flowing tracks to the drift rule', () => {
    const apart: SynthOptions = {
      durationMs: 20_000,
      edit: (frame) => [{ ...frame, timestampMs: frame.timestampMs + (frame.kind === 'video' ? 6000 : 0) }],
    };
    expect(codesOf(apart)).toEqual([6405]);
  });

  test('ignore a jump of both clocks', () => {
    const jump: SynthOptions = {
      durationMs: 20_000,
      edit: (frame) => [{ ...frame, timestampMs: frame.timestampMs + (frame.atMs > 8000 ? 30_000 : 0) }],
    };
    expect(codesOf(jump)).toEqual([6404]);
  });
});

describe('6404 TIMESTAMP_DISORDER', () => {
  const moved = (kind: SynthFrame['kind'] | 'both', byMs: number, atMs = 8000): SynthOptions => ({
    durationMs: 20_000,
    startMs: 2 ** 24,
    edit: (frame) => [
      {
        ...frame,
        timestampMs:
          frame.atMs > atMs && (kind === 'both' || kind === frame.kind) ? frame.timestampMs + byMs : frame.timestampMs,
      },
    ],
  });

  test('tolerates 5 s forward between frames and reports more', () => {
    const gap = (ms: number): SynthOptions => ({
      durationMs: 20_000,
      video: true,
      edit: (frame) => {
        const at = frame.atMs > 8000 ? frame.timestampMs + ms : frame.timestampMs;
        return [{ ...frame, timestampMs: at }];
      },
    });
    // A frame interval is 33 or 34 ms.
    expect(codesOf(gap(4960))).not.toContain(6404);
    expect(codesOf(gap(4975))).toContain(6404);
  });

  test('reports a jump of both tracks once', () => {
    const record = only(judgeStream(moved('both', 60_000)), 6404);
    expect(record).toMatchObject({ count: 1, limit: 5000, severity: 'warning' });
    expect(record.observed).toBeGreaterThan(60_000);
    expect(record.cleared_time_ms).not.toBeNull();
  });

  test('reports a 24-bit wrap without extended timestamps as one step back and continues', () => {
    const run = judgeStream(moved('both', -(2 ** 24)));
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6404]);
    expect(only(run, 6404)).toMatchObject({ count: 1 });
    expect(only(run, 6404).observed).toBeLessThan(-16_000_000);
    expect(run.judge.health().streamTimeMs).toBeGreaterThan(19_800);
    expect(run.judge.health().streamTimeMs).toBeLessThan(20_000);
  });

  test('reports a step back of 10 ms and counts each further one on the record', () => {
    const swapped: SynthOptions = {
      durationMs: 20_000,
      edit: (frame) =>
        frame.kind === 'video' && [100, 200, 300].includes(frame.index)
          ? [{ ...frame, timestampMs: frame.timestampMs - 45 }]
          : [frame],
    };
    const run = judgeStream(swapped);
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6404]);
    expect(only(run, 6404)).toMatchObject({ count: 3 });
  });

  test('reports a step of 3 s back of both tracks once and measures no rate over it', () => {
    const run = judgeStream(moved('both', -3000));
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6404]);
    expect(only(run, 6404)).toMatchObject({ count: 1 });
  });

  test('accepts negative composition times', () => {
    expect(codesOf({ durationMs: 10_000, bFrames: 3 })).toEqual([]);
  });

  test('reports steps of 4,294,967 ms and measures no rate over them', () => {
    const nonsense: SynthOptions = {
      durationMs: 2000,
      audio: false,
      edit: (frame) => [{ ...frame, timestampMs: (frame.index * 4_294_967) % 2 ** 32 }],
    };
    const run = judgeStream(nonsense);
    expect(run.records.some(({ error_code }) => error_code === 6404)).toBe(true);
    expect(run.judge.health().frameRate).toBeUndefined();
    expect(run.judge.health().videoBitrateKbps).toBeUndefined();
  });

  test('accepts timestamps that restart after a reconnect', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 8000, startMs: 3_600_000 }).disconnect(false);
    run.wait(3000).connect().send({ durationMs: 8000 }).disconnect().end();
    expect(run.codes).toEqual([]);
    expect(run.judge.health().streamTimeMs).toBeGreaterThan(15_800);
    expect(run.judge.health().streamTimeMs).toBeLessThanOrEqual(16_000);
  });
});

describe('6405 AUDIO_VIDEO_DRIFT', () => {
  const apart = (ms: number, forMs = 60_000): SynthOptions => ({
    durationMs: 40_000,
    edit: (frame) => [
      {
        ...frame,
        timestampMs:
          frame.kind === 'audio' && frame.atMs > 5000 && frame.atMs < 5000 + forMs
            ? frame.timestampMs + ms
            : frame.timestampMs,
      },
    ],
  });

  test('tolerates 1 s and reports more after 5 s', () => {
    expect(codesOf(apart(950))).toEqual([]);
    const run = judgeStream(apart(1100));
    const record = only(run, 6405);
    expect(record.observed).toBeLessThan(-1000);
    expect(record.description).toContain('behind the audio');
    expect(record.stream_time_ms).toBeGreaterThanOrEqual(10_000);
    expect(record.stream_time_ms).toBeLessThanOrEqual(11_400);
  });

  test('ignores a drift of 4 s', () => {
    // The return is a step back in time, reported as 6404.
    expect(codesOf(apart(1500, 4000))).toEqual([6404]);
  });

  test('clears when the tracks are in sync for 10 s', () => {
    const run = judgeStream(apart(1500, 15_000));
    const [clearedAtMs] = timesOf(run, 6405, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(29_500);
    expect(clearedAtMs).toBeLessThanOrEqual(32_500);
  });

  test('accepts tracks sent alternately in bursts of 500 ms', () => {
    const bursts: SynthMessage[] = [];
    const waiting: SynthMessage[] = [];
    let turn = 0;
    for (const message of synthStream({ durationMs: 20_000 })) {
      if (Math.floor(message.timestampMs / 500) !== turn) {
        turn = Math.floor(message.timestampMs / 500);
        bursts.push(...waiting.splice(0));
      }
      if (message.kind === 'audio') waiting.push(message);
      else bursts.push(message);
    }
    expect(codesOf(bursts)).toEqual([]);
  });
});

describe('6216 MULTIPLE_TRACKS', () => {
  test('is raised with the first packet of that form and clears 10 s after the last', () => {
    const body = new Uint8Array(100);
    const second = enhancedVideo('avc1', 'codedFrames', body, {
      key: false,
      multitrack: { kind: 0, tracks: [{ trackId: 1, body }] },
    });
    const run = judgeStream({
      durationMs: 20_000,
      edit: (frame) =>
        frame.kind === 'video' && frame.role !== 'config' && frame.atMs >= 2000 && frame.atMs < 4000
          ? [frame, { ...frame, payload: second }]
          : [frame],
    });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6216]);
    expect(timesOf(run, 6216, 'raised')).toEqual([2000]);
    const [clearedAtMs] = timesOf(run, 6216, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(13_900);
    expect(clearedAtMs).toBeLessThanOrEqual(14_200);
  });

  test('names the form only, for a stream with a single track', () => {
    const run = judgeStream({
      durationMs: 4000,
      edit: (frame) => {
        if (frame.kind !== 'video' || frame.role === 'config') return [frame];
        const body = frame.payload.subarray(5);
        const tracks = [{ trackId: 0, body }];
        const key = frame.role === 'keyFrame';
        return [
          { ...frame, payload: enhancedVideo('avc1', 'codedFramesX', body, { key, multitrack: { kind: 0, tracks } }) },
        ];
      },
    });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6216]);
    expect(only(run, 6216).description).toContain(
      'has the multitrack form of Enhanced RTMP; expected: one track of each kind',
    );
  });

  test('shows one track of each kind in the verdict of a stream without that form', () => {
    const verdict = judgeStream({ durationMs: 4000 }).judge.verdict();
    expect(verdict.find(({ code }) => code === 6216)).toMatchObject({ judged: 'pass', observed: 'one of each kind' });
  });
});

/** Interoperability: encoder behaviors that the rules evaluate over a whole stream. */
import { codesOf, judgeStream, LiveRun, only, timesOf } from '../rules/harness.js';
import type { SynthMessage } from '../support/synth-stream.js';

test('reports arbitrary timestamps at the end of a phone stream without throwing', () => {
  const wild = [0xffffffff, 0, 0x7fffffff, 0x80000000, 12, 0xfffffff0];
  const run = new LiveRun().connect().goLive().send({ durationMs: 3_000 });
  for (let at = 0; at < 60; at++) {
    const timestampMs = wild[at % wild.length] ?? 0;
    run.send({ durationMs: 40, edit: (frame) => [{ ...frame, timestampMs }] });
  }
  run.disconnect(false);
  expect(run.codes).toContain(6404);
  expect(Number.isFinite(run.judge.health().streamTimeMs)).toBe(true);
});

test('measures the bit stream when metadata is missing or late', () => {
  expect(codesOf({ durationMs: 15_000, metadata: false })).toEqual([]);
  let late: SynthMessage | undefined;
  const delayed = judgeStream({
    durationMs: 15_000,
    edit: (frame) => {
      if (frame.kind === 'data') {
        late = frame;
        return [];
      }
      const now =
        late !== undefined && frame.atMs > 2_000 ? [{ ...late, timestampMs: frame.timestampMs }, frame] : [frame];
      if (now.length > 1) late = undefined;
      return now;
    },
  });
  expect(late).toBeUndefined();
  expect(delayed.records).toEqual([]);
  expect(delayed.judge.health()).toMatchObject({ width: 1280, height: 720, sampleRate: 48_000, channels: 2 });
});

test.each([
  ['audio', 6401],
  ['video', 6402],
] as const)('only %s for the whole broadcast is one violation from start to end', (kind, code) => {
  const run = judgeStream({
    durationMs: 60_000,
    keyFrameIntervalMs: 2_000,
    edit: (frame) => (frame.kind === kind ? [frame] : []),
  });
  const record = only(run, code);
  expect(run.records.map(({ error_code }) => error_code)).toEqual([code]);
  expect(record.count).toBe(1);
  expect(record.stream_time_ms).toBeLessThanOrEqual(5_200);
  // The end of the stream closes it.
  expect(timesOf(run, code, 'raised').length).toBe(1);
  expect(timesOf(run, code, 'cleared').filter((atMs) => atMs < 59_000)).toEqual([]);
});

test('a key frame interval that is always too long is one record with start, count and worst value', () => {
  const run = judgeStream({ durationMs: 10 * 60_000, keyFrameIntervalMs: 8_333, fps: 30, videoKbps: 2_500 });
  const record = only(run, 6208);
  expect(record).toMatchObject({ count: 1, limit: 4_000 });
  expect(record.stream_time_ms).toBeLessThan(4_200);
  expect(record.worst).toBeGreaterThan(8_300);
  // About 72 intervals in 10 minutes, but at most a write a minute of the one record beside the first ones.
  expect(run.changes.filter(({ body }) => body.error_code === 6208).length).toBeLessThan(16);
});

test('accepts B pictures', () => {
  expect(codesOf({ durationMs: 70_000, bFrames: 3, fps: 30 })).toEqual([]);
});

test('eight hours of faults do not grow the judge beyond its size after one hour', () => {
  const run = new LiveRun().connect().goLive();
  const sizes: number[] = [];
  for (let hour = 0; hour < 7; hour++) {
    // Each minute: a change of size and back, a gap and a late key frame, to exercise all state.
    const changes = Array.from({ length: 4 }, (_, at) => ({ atMs: 300 * (at + 1), width: at % 2 === 0 ? 640 : 1280 }));
    run.send({ durationMs: 2_000, fps: 5, videoKbps: 100, changes }).disconnect(false);
    run.atMs += 3_500_000;
    run.connect();
    run.changes.length = 0;
    sizes.push(JSON.stringify(run.judge.resume()).length);
  }
  expect(run.judge.ended).toBeUndefined();
  expect(sizes.at(-1) ?? 0).toBeLessThan((sizes[0] ?? 0) * 1.5 + 2_000);
});

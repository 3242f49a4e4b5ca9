/** 6501 and 6502: eight hours, by the clock and by media, over connections; with every wrap on the way. */
import { describe, expect, test } from '@jest/globals';
import { newSlices } from './eight-hours.js';
import { judgeStream, LiveRun, only } from './harness.js';

const LIMIT_MS = 28_800_000;

describe('by media', () => {
  test('28,800,000 ms pass, one more ends the broadcast', () => {
    const exact = judgeStream(newSlices(LIMIT_MS));
    expect(exact.records.map(({ error_code }) => error_code)).toEqual([6211, 6502]);
    expect(exact.judge.ended).toBeUndefined();
    const over = judgeStream(newSlices(LIMIT_MS + 1));
    expect(over.records.map(({ error_code }) => error_code)).toEqual([6211, 6502, 6501]);
    expect(only(over, 6501)).toMatchObject({ observed: LIMIT_MS + 1, limit: LIMIT_MS });
  });

  test('the verdict names the record', () => {
    const run = judgeStream(newSlices(LIMIT_MS + 1000));
    expect(run.judge.ended).toMatchObject({ code: 6501, type: 'DURATION_EXCEEDED' });
    expect(run.judge.ended?.text).toContain('8 h');
    expect(only(run, 6501).count).toBe(1);
  });

  test('7 h 45 min are told once', () => {
    const run = judgeStream(newSlices(27_999_000));
    expect(only(run, 6502)).toMatchObject({ count: 1, limit: LIMIT_MS, severity: 'warning' });
    expect(only(run, 6502).stream_time_ms).toBeLessThanOrEqual(27_900_200);
  });

  test('a simulated 8 h broadcast with 2^24 and 2^32 in it raises nothing of it, rtmp-interop B3', () => {
    const run = judgeStream({ startMs: 2 ** 32 - 10_000_000, durationMs: 8 * 3_600_000 - 1000, fps: 1, ...LIGHT });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6303, 6211, 6502]);
    expect(run.judge.health().streamTimeMs).toBeGreaterThan(28_790_000);
  });
});

/** One frame a second and long audio frames keep eight hours short; the rates are below what they should be all the time. */
const LIGHT = { videoKbps: 100, audioKbps: 64, sampleRate: 8000, keyFrameIntervalMs: 2000 };

describe('by the clock', () => {
  test('interruptions count: 8 h after going LIVE it ends, connected or not', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 5000 }).disconnect(false);
    run.atMs += LIMIT_MS - 5100;
    run.judge.tick(run.now);
    run.take().connect();
    expect(run.judge.ended).toBeUndefined();
    run.wait(200);
    expect(run.judge.ended).toMatchObject({ code: 6501 });
  });

  test('a step of the wall clock changes nothing', () => {
    const run = new LiveRun().connect().goLive();
    run.judge.tick({ wallMs: run.now.wallMs + 10 * 3_600_000, atMs: run.atMs + 100 });
    expect(run.judge.ended).toBeUndefined();
  });

  test('a preview has 8 h of its own', () => {
    const run = new LiveRun().connect().send({ durationMs: 3000 });
    run.atMs += LIMIT_MS - 60_000;
    run.judge.tick(run.now);
    run.goLive();
    run.atMs += 120_000;
    run.judge.tick(run.now);
    run.take();
    expect(run.judge.ended).toBeUndefined();
    expect(run.codes).toContain(6502);
  });

  test('a new holder goes on with the same clock', () => {
    const first = new LiveRun().connect().goLive().send({ durationMs: 3000 });
    const resume = JSON.parse(JSON.stringify(first.judge.resume()));
    const second = new LiveRun({ resume, fence: 2 });
    // Another machine: its monotonic clock starts elsewhere, wall time goes on.
    second.atMs = first.atMs + LIMIT_MS - 4000;
    second.connect();
    expect(second.judge.ended).toBeUndefined();
    second.wait(2000);
    expect(second.judge.ended).toMatchObject({ code: 6501 });
  });
});

/** 6501 and 6502: eight hours, by the clock and by media, over connections; with every wrap on the way. */
import { describe, expect, test } from '@jest/globals';
import { newSlices } from './eight-hours.js';
import { feed, judgeStream, LiveRun, only } from './harness.js';

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

  test('a clock that was set back between two holders gives no time back', () => {
    const first = new LiveRun().connect().goLive().send({ durationMs: 3000 });
    first.atMs += LIMIT_MS - 5000;
    first.judge.tick(first.now);
    first.disconnect(false);
    // In between somebody else looked after it, as a sweep does.
    const sweep = new LiveRun({ resume: JSON.parse(JSON.stringify(first.judge.resume())), fence: 2 });
    sweep.atMs = 1_000_000;
    sweep.disconnect(false);
    const second = new LiveRun({ resume: JSON.parse(JSON.stringify(sweep.judge.resume())), fence: 3 });
    second.atMs = 1_000_000;
    second.connect();
    expect(second.judge.ended).toBeUndefined();
    second.wait(2100);
    expect(second.judge.ended).toMatchObject({ code: 6501 });
  });
});

test('reconnecting, each time to another holder and with stamps from 0, saves nothing of 8 h of media', () => {
  const part = [...newSlices(1_800_000)];
  let run = new LiveRun().connect().goLive();
  let connections = 1;
  for (; run.judge.ended === undefined && connections < 40; connections++) {
    for (const message of part) feed(run.judge, message, run.counter, run.atMs);
    run.disconnect(connections % 2 === 0);
    const resume = JSON.parse(JSON.stringify(run.judge.resume()));
    // Thirty minutes of media came in a second, so that the clock alone would let it go on for days.
    const atMs = run.atMs + 1000;
    run = new LiveRun({ resume, fence: connections + 1 });
    run.atMs = atMs;
    run.connect();
  }
  expect(run.judge.ended).toMatchObject({ code: 6501 });
  // Sixteen are 28,800,000 ms to the millisecond.
  expect(connections - 1).toBe(17);
});

/** 6501 and 6502: eight hours by the clock and by media time, across connections and timestamp wraps. `test/long` judges eight hours with all their frames. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { LIGHT, newSlices } from './eight-hours.js';
import { feed, judgeStream, LiveRun, only, type Run } from './harness.js';

const LIMIT_MS = 28_800_000;

describe('by media', () => {
  let exact: Run;
  beforeAll(() => {
    exact = judgeStream(newSlices(LIMIT_MS));
  });

  test('accepts 28,800,000 ms and ends the broadcast one ms later', () => {
    expect(exact.records.map(({ error_code }) => error_code)).toEqual([6211, 6502]);
    expect(exact.judge.ended).toBeUndefined();
    const over = judgeStream(newSlices(LIMIT_MS + 1));
    expect(over.records.map(({ error_code }) => error_code)).toEqual([6211, 6502, 6501]);
    expect(only(over, 6501)).toMatchObject({ observed: LIMIT_MS + 1, limit: LIMIT_MS });
  });

  test('names the record in the end verdict', () => {
    const run = judgeStream(newSlices(LIMIT_MS + 1000));
    expect(run.judge.ended).toMatchObject({ code: 6501, type: 'DURATION_EXCEEDED' });
    expect(run.judge.ended?.text).toContain('8 h');
    expect(only(run, 6501).count).toBe(1);
  });

  test('warns once at 7 h 45 min', () => {
    expect(only(exact, 6502)).toMatchObject({ count: 1, limit: LIMIT_MS, severity: 'warning' });
    expect(only(exact, 6502).stream_time_ms).toBeLessThanOrEqual(27_900_200);
  });

  test.each([24, 32])('raises no other record in 20 minutes that cross 2^%d', (bits) => {
    const run = judgeStream({ ...LIGHT, startMs: 2 ** bits - 600_000, durationMs: 1_200_000 });
    expect(run.records.map(({ error_code }) => error_code)).toEqual([6303, 6211]);
    expect(run.judge.health().streamTimeMs).toBeGreaterThan(1_190_000);
  });
});

describe('by the clock', () => {
  test('ends 8 h after going LIVE, interruptions included', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 5000 }).disconnect(false);
    run.atMs += LIMIT_MS - 5100;
    run.judge.tick(run.now);
    run.take().connect();
    expect(run.judge.ended).toBeUndefined();
    run.wait(200);
    expect(run.judge.ended).toMatchObject({ code: 6501 });
  });

  test('is not affected by a step of the wall clock', () => {
    const run = new LiveRun().connect().goLive();
    run.judge.tick({ wallMs: run.now.wallMs + 10 * 3_600_000, atMs: run.atMs + 100 });
    expect(run.judge.ended).toBeUndefined();
  });

  test('counts the 8 h of a preview separately', () => {
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

  test('continues the elapsed time under a new lease holder', () => {
    const first = new LiveRun().connect().goLive().send({ durationMs: 3000 });
    const resume = JSON.parse(JSON.stringify(first.judge.resume()));
    const second = new LiveRun({ resume, fence: 2 });
    // Another machine: its monotonic clock has another origin, wall time continues.
    second.atMs = first.atMs + LIMIT_MS - 4000;
    second.connect();
    expect(second.judge.ended).toBeUndefined();
    second.wait(2000);
    expect(second.judge.ended).toMatchObject({ code: 6501 });
  });

  test('does not extend the limit when the clock is set back between two lease holders', () => {
    const first = new LiveRun().connect().goLive().send({ durationMs: 3000 });
    first.atMs += LIMIT_MS - 5000;
    first.judge.tick(first.now);
    first.disconnect(false);
    // In between, a sweep restores and stores the state.
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

test('counts 8 h of media across reconnects to other lease holders with timestamps from 0', () => {
  const part = [...newSlices(1_800_000)];
  let run = new LiveRun().connect().goLive();
  let connections = 1;
  for (; run.judge.ended === undefined && connections < 40; connections++) {
    for (const message of part) feed(run.judge, message, run.counter, run.atMs);
    run.disconnect(connections % 2 === 0);
    const resume = JSON.parse(JSON.stringify(run.judge.resume()));
    // Thirty minutes of media arrive in one second: the clock alone would not reach the limit for days.
    const atMs = run.atMs + 1000;
    run = new LiveRun({ resume, fence: connections + 1 });
    run.atMs = atMs;
    run.connect();
  }
  expect(run.judge.ended).toMatchObject({ code: 6501 });
  // Sixteen of them are exactly 28,800,000 ms.
  expect(connections - 1).toBe(17);
});

/** Rules judged by arrival (6101, 6406, 6407) and faults that the service notes. */
import { describe, expect, test } from '@jest/globals';
import { judgeStream, LiveRun } from './harness.js';

describe('6101 PROTOCOL_NOT_RTMPS', () => {
  test('is raised for plain RTMP without TLS in front and clears with the connection', () => {
    const run = new LiveRun({ secure: false }).connect();
    expect(run.codes).toEqual([6101]);
    expect(run.records[0]).toMatchObject({ observed: 'plain RTMP', limit: 'RTMPS', source: 'service' });
    run.disconnect();
    expect(run.changes.map(({ change }) => change)).toEqual(['raised', 'cleared']);
  });

  test('is not judged offline', () => {
    expect(judgeStream({ durationMs: 1000 }, { secure: false }).records).toEqual([]);
  });
});

describe('6406 STREAM_STARVED', () => {
  test('tolerates 0.9 of real time and reports less after 30 s', () => {
    expect(new LiveRun().connect().goLive().send({ durationMs: 45_000 }, 0.91).codes).toEqual([]);
    const run = new LiveRun().connect().goLive();
    const fromMs = run.atMs;
    run.send({ durationMs: 45_000 }, 0.88);
    const record = run.records.find(({ error_code }) => error_code === 6406);
    expect(record?.observed).toBeCloseTo(0.88, 2);
    expect(record?.limit).toBe(0.9);
    const afterMs = (record?.timestampMs ?? 0) - Date.UTC(2026, 0, 15, 12) - fromMs;
    expect(afterMs).toBeGreaterThanOrEqual(30_000);
    expect(afterMs).toBeLessThanOrEqual(31_100);
  });

  test('reports 5 s without data and clears when media has flowed for 10 s', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 20_000 }).wait(4900);
    expect(run.codes).toEqual([]);
    run.wait(200);
    expect(run.codes).toEqual([6406]);
    expect(run.records[0]?.description).toContain('nothing for 5 s');
    // The delayed media arrives in a burst, then the stream continues.
    run.send({ startMs: 20_000, durationMs: 5000 }, 50).send({ startMs: 25_000, durationMs: 9000 });
    expect(run.judge.health().openErrors).toEqual([6406, 6901]);
    run.send({ startMs: 34_000, durationMs: 2000 });
    expect(run.judge.health().openErrors).toEqual([6901]);
    run.send({ startMs: 36_000, durationMs: 10_000 });
    expect(run.judge.health().openErrors).toEqual([]);
  });

  test('is not judged while no encoder is connected', () => {
    expect(new LiveRun().connect().goLive().send({ durationMs: 5000 }).disconnect(false).wait(30_000).codes).toEqual(
      [],
    );
  });
});

describe('6407 FASTER_THAN_REAL_TIME', () => {
  test('accepts a buffer drained in the first 10 s', () => {
    const run = new LiveRun().connect().goLive();
    run.send({ durationMs: 20_000 }, 5).send({ startMs: 20_000, durationMs: 30_000 });
    expect(run.codes).toEqual([]);
  });

  test('reports a lead that grows by more than 10 s', () => {
    const grows = (ms: number) =>
      new LiveRun()
        .connect()
        .goLive()
        .send({ durationMs: 15_000 })
        .send({ startMs: 15_000, durationMs: ms }, 1000)
        .send({ startMs: 15_000 + ms, durationMs: 2000 });
    expect(grows(9800).codes).toEqual([]);
    const run = grows(10_500);
    expect(run.codes).toEqual([6407]);
    expect(run.records[0]?.observed).toBeGreaterThan(10_000);
  });
});

describe('noted by the service', () => {
  test('raises 6503, 6504 and 6601 as points in time', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 3000 }).disconnect(false);
    run.judge.note(6503, { observed: 'connection lost', atMs: run.atMs });
    run.take().wait(1000).connect();
    run.judge.note(6504, { observed: 'a second connection with the key', atMs: run.atMs });
    run.judge.note(6601, { observed: 'Some Page', atMs: run.atMs });
    run.take();
    expect(run.codes).toEqual([6503, 6504, 6601]);
    expect(run.records.every(({ cleared_time_ms }) => cleared_time_ms !== null)).toBe(true);
    expect(run.records.map(({ evidence }) => evidence.first.kind)).toEqual(['clock', 'clock', 'clock']);
    expect(run.judge.lastRecord(6601)).toMatchObject({
      error_subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
      severity: 'error',
      observed: 'Some Page',
    });
    expect(run.changes.some(({ change }) => change === 'cleared')).toBe(false);
  });

  test('counts a second loss within a minute on the same record', () => {
    const run = new LiveRun().connect().goLive();
    for (let i = 0; i < 3; i++) {
      run.send({ durationMs: 1000, startMs: i * 1000 }).disconnect(false);
      run.judge.note(6503, { observed: 'connection lost', atMs: run.atMs });
      run.take().wait(10_000).connect();
    }
    run.end();
    expect(run.records.filter(({ error_code }) => error_code === 6503).map(({ count }) => count)).toEqual([3]);
  });
});

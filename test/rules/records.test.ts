/** Lifecycle of records: raised once, counted, worst value, evidence, closed; independent of chunking and resumes. */
import { describe, expect, test } from '@jest/globals';
import { SliceList } from '../../src/bytes/slices.js';
import { StreamJudge } from '../../src/judge/judge.js';
import { byteLength, SHOWN_BYTES, sentencesWithin } from '../../src/lib/text.js';
import type { RecordBody, RecordChange } from '../../src/spec/error-record.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';
import { judgeStream, LiveRun, newJudge, only, recordsOf, START_WALL_MS, timesOf } from './harness.js';

/** Violates rules with every kind of clearing. */
const BROKEN: SynthOptions = {
  durationMs: 60_000,
  width: 1024,
  height: 640,
  channels: 1,
  keyFrameIntervalMs: 5000,
  videoKbps: 7000,
  audioKbps: 320,
  changes: [
    { atMs: 20_000, width: 1280, height: 720, keyFrameIntervalMs: 2000, videoKbps: 2500 },
    { atMs: 40_000, channels: 2 },
  ],
};

describe('a record', () => {
  test('is raised once with all its fields', () => {
    const run = judgeStream({ durationMs: 30_000, keyFrameIntervalMs: 6000 });
    expect(run.changes.filter(({ change }) => change === 'raised')).toHaveLength(1);
    expect(only(run, 6208)).toEqual({
      id: '900100_1_1',
      error_code: 6208,
      error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
      error_type: 'KEY_FRAME_INTERVAL_TOO_LONG',
      description: expect.stringMatching(/^\[6208 KEY_FRAME_INTERVAL_TOO_LONG\] No key frame for 6 s; .* 4 s\. \S/),
      severity: 'error',
      timestampMs: START_WALL_MS + 4067,
      stream_time_ms: 4067,
      observed: 4067,
      worst: 6000,
      limit: 4000,
      unit: 'ms',
      clause: expect.stringContaining('Key frame interval'),
      remediation: expect.stringContaining('-g 60'),
      cleared_time_ms: expect.any(Number),
      count: 1,
      open_ms: 25_928,
      evidence: { first: expect.any(Object), last: expect.any(Object) },
      source: 'stream',
    });
  });

  test('counts a recurrence within 60 s of clearing and starts a new record later', () => {
    const again = (gapMs: number): SynthOptions => ({
      durationMs: 12_000 + gapMs + 12_000,
      channels: 1,
      changes: [
        { atMs: 10_000, channels: 2 },
        { atMs: 10_000 + gapMs, channels: 1 },
      ],
    });
    const soon = only(judgeStream(again(59_000)), 6304);
    expect(soon.count).toBe(2);
    expect(soon.id).toBe('900100_1_1');
    const late = judgeStream(again(61_000)).records.filter(({ error_code }) => error_code === 6304);
    expect(late.map(({ count }) => count)).toEqual([1, 1]);
  });

  test('writes worse values at growing intervals, which end at a minute', () => {
    const run = judgeStream({ durationMs: 8 * 60_000, audio: false });
    const written = run.changes.filter(({ change, body }) => change === 'counted' && body.error_code === 6402);
    const worst = written.map(({ body }) => Number(body.worst));
    const apartS = worst.slice(1).map((ms, index) => Math.round((ms - (worst[index] ?? 0)) / 1_000));
    expect(apartS.slice(0, 8)).toEqual([20, 40, 60, 60, 60, 60, 60, 60]);
    expect(written.every(({ body }) => body.count === 1)).toBe(true);
  });

  test('covers disorder in every frame with one record', () => {
    const run = judgeStream({
      durationMs: 60_000,
      edit: (frame) =>
        frame.kind === 'video' && frame.index % 2 === 1 ? [{ ...frame, timestampMs: frame.timestampMs - 40 }] : [frame],
    });
    const record = only(run, 6404);
    expect(record.count).toBeGreaterThan(800);
    expect(run.changes.filter(({ body }) => body.error_code === 6404).length).toBeLessThan(10);
  });

  test('closes at the end of the stream', () => {
    const run = judgeStream({ ...BROKEN, durationMs: 15_000 });
    expect(run.records.length).toBeGreaterThan(4);
    expect(run.records.every(({ cleared_time_ms }) => cleared_time_ms !== null)).toBe(true);
    expect(run.judge.health().openErrors).toEqual([]);
  });

  test('is closed once when the stream is ended twice', () => {
    const { judge } = judgeStream({ ...BROKEN, durationMs: 5000 });
    judge.end({ wallMs: START_WALL_MS, atMs: 0 });
    expect(judge.changed).toBe(false);
  });

  test('has an id of broadcast, fence and consecutive number', () => {
    const { changes } = judgeStream(BROKEN, { broadcastId: '77', fence: 5 });
    const raised = changes.filter(({ change }) => change === 'raised').map(({ body }) => body.id);
    expect(raised).toEqual(raised.map((_, n) => `77_5_${n + 1}`));
  });

  test('states fault and remedy in complete sentences within 255 bytes', () => {
    const { records } = judgeStream(BROKEN);
    for (const { description, remediation } of records) {
      const shown = sentencesWithin(description, SHOWN_BYTES);
      expect(byteLength(shown)).toBeLessThanOrEqual(SHOWN_BYTES);
      expect(shown).toMatch(/^\[\d{4} [A-Z_0-9]+\] .*\.$/);
      expect(shown).toContain(remediation.split('. ')[0] as string);
    }
  });
});

describe('network chunking', () => {
  /** The same messages, split at every n-th byte. */
  function judgeCut(size: number): RecordChange[] {
    const judge = newJudge();
    judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
    const changes: RecordChange[] = [];
    let messages = 0;
    let bytes = 0;
    for (const { kind, payload, timestampMs } of synthStream({ ...BROKEN, durationMs: 30_000 })) {
      const pieces = new SliceList();
      for (let at = 0; at < payload.length; at += size) pieces.push(payload, at, Math.min(payload.length, at + size));
      if (kind === 'video')
        judge.video({ payload: pieces, timestampMs, messageNumber: messages, byteOffset: bytes, atMs: messages * 7 });
      else if (kind === 'audio')
        judge.audio({ payload: pieces, timestampMs, messageNumber: messages, byteOffset: bytes, atMs: messages * 7 });
      messages++;
      bytes += payload.length;
      changes.push(...judge.takeChanges());
    }
    judge.end({ wallMs: START_WALL_MS, atMs: 0 });
    changes.push(...judge.takeChanges());
    return changes;
  }

  test('does not affect the records', () => {
    const whole = judgeCut(1 << 24);
    expect(whole.length).toBeGreaterThan(10);
    expect(judgeCut(1000)).toEqual(whole);
    expect(judgeCut(37)).toEqual(whole);
  });
});

describe('resume', () => {
  function twoConnections(restart: boolean, fence: number): { changes: RecordChange[]; last: StreamJudge } {
    const first = new LiveRun()
      .connect('obs')
      .goLive()
      .send({ ...BROKEN, durationMs: 15_000 })
      .disconnect(false);
    const resume = JSON.parse(JSON.stringify(first.judge.resume()));
    const second = restart ? new LiveRun({ resume, fence }) : first;
    if (restart) {
      second.atMs = first.atMs;
      second.changes.push(...first.changes);
    }
    // The second connection starts with other settings, then changes to conforming ones.
    second
      .wait(5000)
      .connect('obs')
      .send({ ...BROKEN, startMs: 5_000_000 })
      .disconnect()
      .end();
    return { changes: second.changes, last: second.judge };
  }

  test('by the same lease holder equals an uninterrupted judge', () => {
    const whole = twoConnections(false, 1);
    const resumed = twoConnections(true, 1);
    expect(whole.changes.length).toBeGreaterThan(10);
    expect(resumed.changes).toEqual(whole.changes);
    expect(resumed.last.resume().facts).toEqual(whole.last.resume().facts);
  });

  test('keeps exactly the rules judged before as judged', () => {
    const first = new LiveRun().connect('obs').goLive().send({ durationMs: 3_000 }).disconnect(false);
    const judged = first.judge.judgedCodes();
    expect(judged).toEqual(expect.arrayContaining([6201, 6304]));
    expect(judged).not.toContain(6210);
    const resume = JSON.parse(JSON.stringify(first.judge.resume()));
    expect(new LiveRun({ resume, fence: 2 }).judge.judgedCodes()).toEqual(judged);
    expect(new LiveRun().judge.judgedCodes()).not.toContain(6201);
  });

  test('by another lease holder continues the open records and numbers new ones from 1', () => {
    const { changes } = twoConnections(true, 2);
    const raised = changes.filter(({ change }) => change === 'raised').map(({ body }) => body.id);
    expect(raised).toContain('900100_1_1');
    expect(raised).toContain('900100_2_1');
    expect(new Set(raised).size).toBe(raised.length);
  });

  test('works from the open records of a store alone', () => {
    const first = new LiveRun().connect().goLive().send({ channels: 1, durationMs: 3000 }).disconnect(false);
    const open = first.records.map((body) => ({ ...body, sequence: 1, revision: 4 }));
    const resume = StreamJudge.resumeFrom({ liveSinceWallMs: first.now.wallMs - 3000, open });
    const second = new LiveRun({ resume, fence: 2 });
    second.judge.end(second.now);
    second.take();
    expect(second.changes.map(({ change, body }) => [change, body.id])).toEqual([['cleared', '900100_1_1']]);
    expect(second.changes[0]?.body).not.toHaveProperty('sequence');
  });
});

describe('strict enforcement', () => {
  const strict = (options: SynthOptions) =>
    new LiveRun({ enforce: 'strict' })
      .connect()
      .goLive()
      .send({ durationMs: 30_000, ...options }).judge.ended;

  test('ends for an error open for 10 s and observed in the last 5 s', () => {
    expect(strict({ channels: 1 })).toMatchObject({ code: 6304 });
    expect(strict({ keyFrameIntervalMs: 6000 })).toMatchObject({ code: 6208 });
  });

  test('does not end for a warning or an error that clears sooner', () => {
    expect(strict({ keyFrameIntervalMs: 3000, width: 960, height: 540 })).toBeUndefined();
    const mended = { keyFrameIntervalMs: 6000, changes: [{ atMs: 6000, keyFrameIntervalMs: 2000 }] };
    expect(strict(mended)).toBeUndefined();
  });

  test('does not end in report mode', () => {
    const run = new LiveRun().connect().goLive().send({ durationMs: 30_000, channels: 1 });
    expect(run.judge.ended).toBeUndefined();
  });
});

describe('other views of the judge', () => {
  test('reports valid data after a parsed header and a coded frame', () => {
    const judge = newJudge();
    judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
    const valid = [...synthStream({ durationMs: 200, metadata: false })].map(({ kind, payload, timestampMs }) => {
      const slices = SliceList.of(payload);
      if (kind === 'video') judge.video({ payload: slices, timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
      else judge.audio({ payload: slices, timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
      return judge.valid;
    });
    // Two headers, then the first frame.
    expect(valid.slice(0, 3)).toEqual([false, false, true]);
  });

  test('returns a verdict for each rule, with the worst value of a failing one', () => {
    const { judge } = judgeStream({ ...BROKEN, durationMs: 30_000 });
    const rows = new Map(judge.verdict().map((row) => [row.code, row]));
    expect(rows.get(6304)).toMatchObject({ judged: 'fail', observed: 1, limit: 2 });
    expect(rows.get(6208)).toMatchObject({ judged: 'fail', unit: 'ms' });
    expect(rows.get(6205)).toMatchObject({ judged: 'warn', observed: '1024x640' });
    expect(rows.get(6303)).toMatchObject({ judged: 'pass', observed: 48_000 });
    expect(rows.get(6406)).toMatchObject({ judged: 'not-judged', observed: null });
    expect(rows.has(6701)).toBe(false);
  });

  test('returns only known values in health', () => {
    const run = new LiveRun().connect('FMLE/3.0 (compatible; FMSc/1.0)');
    expect(Object.values(run.judge.health()).every((value) => value !== undefined && !Number.isNaN(value))).toBe(true);
    run.send({ durationMs: 12_000 });
    expect(run.judge.health()).toMatchObject({
      videoCodec: 'H.264',
      width: 1280,
      height: 720,
      frameRate: 30,
      frameRateClass: 30,
      videoBitrateKbps: 2500,
      keyFrameIntervalMs: 2000,
      audioCodec: 'AAC LC',
      sampleRate: 48_000,
      channels: 2,
      openErrors: [],
    });
  });

  test('raises 6217 as info for metadata that contradicts the stream', () => {
    const judge = newJudge();
    const changes: RecordChange[] = [];
    judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
    const feed = (claims: Record<string, unknown>): RecordBody[] => {
      judge.metadata(claims, 0);
      changes.push(...judge.takeChanges());
      return recordsOf(changes);
    };
    for (const { kind, payload, timestampMs } of synthStream({ durationMs: 100, metadata: false })) {
      if (kind === 'video')
        judge.video({ payload: SliceList.of(payload), timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
      else judge.audio({ payload: SliceList.of(payload), timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
    }
    const conforming = { videocodecid: 828_601_953, audiocodecid: 'mp4a', width: 1280, height: 720, stereo: true };
    expect(feed(conforming)).toEqual([]);
    expect(feed({ videocodecid: 7, audiosamplerate: 48_000, audiochannels: 2, width: 0, height: 0 })).toEqual([]);
    expect(feed({ ...conforming, videocodecid: 2 })[0]).toMatchObject({
      error_code: 6217,
      severity: 'info',
      observed: 'Sorenson H.263',
      limit: 'H.264',
    });
    expect(feed(conforming)[0]?.cleared_time_ms).not.toBeNull();
    for (const wrong of [
      { videocodecid: 15 },
      { audiocodecid: 11 },
      { width: 640, height: 360 },
      { audiochannels: 1 },
    ]) {
      feed(wrong);
      expect(judge.health().openErrors).toEqual([6217]);
      feed(conforming);
    }
    // No claim, or a claim of the wrong type.
    for (const nothing of [{}, { width: '1280' }, { videocodecid: null }]) feed(nothing);
    expect(judge.health().openErrors).toEqual([]);
  });

  test('uses stream time for raising and clearing offline', () => {
    const run = judgeStream({ durationMs: 8000, channels: 1, changes: [{ atMs: 4000, channels: 2 }] });
    expect(timesOf(run, 6304, 'raised')).toEqual([0]);
    const [clearedAtMs] = timesOf(run, 6304, 'cleared');
    expect(clearedAtMs).toBeGreaterThan(3900);
    expect(clearedAtMs).toBeLessThanOrEqual(4000);
  });
});

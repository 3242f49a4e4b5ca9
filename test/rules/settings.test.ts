/** 6403: the settings stay the same from going LIVE. */
import { describe, expect, test } from '@jest/globals';
import type { SynthFrame, SynthMessage, SynthOptions, SynthSettings } from '../support/synth-stream.js';
import { codesOf, judgeStream, LiveRun, only, timesOf } from './harness.js';

const changed = (changes: Partial<SynthSettings>, options: SynthOptions = {}): SynthOptions => ({
  durationMs: 8000,
  levelIdc: 41,
  ...options,
  changes: [{ atMs: 4000, ...changes }],
});

describe('6403 SETTINGS_CHANGED', () => {
  test.each<[string, Partial<SynthSettings>, string, string]>([
    ['size', { width: 1920, height: 1080 }, '1920x1080', '1280x720'],
    ['profile', { profileIdc: 77 }, 'Main profile', 'High profile'],
    ['level', { levelIdc: 40 }, 'level 4', 'level 4.1'],
    ['sample aspect', { sps: { vui: { sar: [64, 63] } } }, 'sample aspect 1.016', 'sample aspect 1'],
    ['sample rate', { sampleRate: 44_100 }, '44100 Hz', '48000 Hz'],
  ])('%s', (_name, changes, observed, limit) => {
    const run = judgeStream(changed(changes));
    const record = only(run, 6403);
    expect(record).toMatchObject({ observed, limit, count: 1, severity: 'error' });
    expect(record.stream_time_ms).toBeLessThanOrEqual(4100);
  });

  test('reports changed channels, object type and codec', () => {
    expect(only(judgeStream(changed({ channels: 1 })), 6403).observed).toBe('1 audio channel');
    expect(only(judgeStream(changed({ asc: { audioObjectType: 1 } })), 6403).observed).toBe('AAC Main');
    expect(only(judgeStream(changed({ videoCodec: 'hvc1' })), 6403)).toMatchObject({
      observed: 'HEVC (H.265)',
      limit: 'H.264',
    });
    expect(only(judgeStream(changed({ audioCodec: '.mp3' })), 6403).observed).toBe('MP3');
  });

  test('reports several changes in one record with old and new values', () => {
    const record = only(judgeStream(changed({ width: 854, height: 480, profileIdc: 77 })), 6403);
    expect(record.observed).toBe('854x480, Main profile');
    expect(record.limit).toBe('1280x720, High profile');
  });

  test('lists each change, and renews list and description when settings change again', () => {
    const run = judgeStream({
      durationMs: 9_000,
      levelIdc: 41,
      changes: [
        { atMs: 4000, width: 854, height: 480 },
        { atMs: 6000, width: 854, height: 480, channels: 1, profileIdc: 77 },
      ],
    });
    const [first, ...later] = run.changes.filter(({ body }) => body.error_code === 6403).map(({ body }) => body);
    const size = [
      { setting: 'width', before: 1280, after: 854 },
      { setting: 'height', before: 720, after: 480 },
    ];
    expect(first?.changes).toEqual(size);
    expect(first?.description).toContain('now 854x480, at the start 1280x720.');
    const last = later.at(-1);
    expect(last?.id).toBe(first?.id);
    expect(last?.changes).toEqual([
      { setting: 'video_profile', before: 'High', after: 'Main' },
      ...size,
      { setting: 'channels', before: 2, after: 1 },
    ]);
    expect(last?.description).toContain(
      'now 854x480, Main profile and 1 more, at the start 1280x720, High profile and',
    );
  });

  test('clears when the first settings return', () => {
    const run = judgeStream({
      durationMs: 12_000,
      levelIdc: 41,
      changes: [
        { atMs: 4000, width: 854, height: 480 },
        { atMs: 8000, width: 1280, height: 720 },
      ],
    });
    const [clearedAtMs] = timesOf(run, 6403, 'cleared');
    expect(clearedAtMs).toBeGreaterThan(7900);
    expect(clearedAtMs).toBeLessThanOrEqual(8000);
  });

  test('ignores repeated headers and headers with the same settings in other bytes', () => {
    let header: SynthFrame | undefined;
    const repeat = (frame: SynthFrame): SynthMessage[] => {
      if (frame.kind === 'video' && frame.role === 'config') header = frame;
      return frame.role === 'keyFrame' && header ? [{ ...header, timestampMs: frame.timestampMs }, frame] : [frame];
    };
    expect(codesOf({ durationMs: 10_000, edit: repeat })).toEqual([]);
    // Another NAL length size and an HRD, which no rule judges.
    expect(codesOf(changed({ nalLengthSize: 2, keyFrameWeight: 1, videoKbps: 1500 }))).toEqual([]);
    const hrd = { entries: [{ bitrateValueMinus1: 1, cpbSizeValueMinus1: 1, cbr: false }] };
    expect(codesOf(changed({ sps: { vui: { nalHrd: hrd } } }))).toEqual([]);
    expect(codesOf(changed({ asc: { sbr: 'off' } }))).toEqual([]);
  });

  test('reports a rising and a falling frame-rate class, with and without another header', () => {
    const timing = (fps: number) => ({ vui: { timing: { numUnitsInTick: 1, timeScale: 2 * fps } } });
    const run = (from: number, to: number, withHeader: boolean) =>
      codesOf({
        levelIdc: 41,
        fps: from,
        sps: timing(from),
        videoKbps: 3000,
        durationMs: 30_000,
        changes: [{ atMs: 10_000, fps: to, ...(withHeader ? { sps: timing(to) } : {}) }],
      }).filter((code) => code === 6403);
    expect(run(30, 60, false)).toEqual([6403]);
    expect(run(60, 30, true)).toEqual([6403]);
    expect(run(60, 30, false)).toEqual([6403]);
  });
});

describe('reference settings', () => {
  test('are those at going LIVE, across a reconnect', () => {
    const run = new LiveRun().connect();
    run.send({ durationMs: 3000, levelIdc: 41 }).goLive().send({ durationMs: 4000, levelIdc: 41, startMs: 3000 });
    run.disconnect(false).wait(5000).connect();
    run.send({ durationMs: 4000, levelIdc: 41, width: 854, height: 480 });
    expect(run.codes).toEqual([6403]);
    run.disconnect(false).wait(2000).connect().send({ durationMs: 4000, levelIdc: 41 });
    expect(run.judge.health().openErrors).toEqual([]);
  });

  test('name every setting that an encoder changed while it was away', () => {
    const run = new LiveRun().connect();
    run.send({ durationMs: 3000, levelIdc: 41 }).goLive().send({ durationMs: 4000, levelIdc: 41, startMs: 3000 });
    run.disconnect(false).wait(5000).connect();
    run.send({ durationMs: 4000, levelIdc: 41, width: 854, height: 480, channels: 1, sampleRate: 44_100 });
    const record = run.judge.lastRecord(6403);
    const changed = record?.changes?.map(({ setting }) => setting);
    expect(changed).toEqual(['width', 'height', 'sample_rate', 'channels']);
    expect(record?.description).toContain('854x480, 44100 Hz, 1 audio channel');
  });

  test('are separate for each preview', () => {
    const run = new LiveRun().connect().send({ durationMs: 4000, levelIdc: 41, fps: 30 }).disconnect();
    run.wait(2000).connect().send({ durationMs: 6000, levelIdc: 41, fps: 60, width: 854, height: 480 });
    expect(run.codes.filter((code) => code === 6403)).toEqual([]);
  });

  test('are taken anew at going LIVE, which clears a change in the preview', () => {
    const run = new LiveRun().connect();
    run.send({ durationMs: 8000, levelIdc: 41, changes: [{ atMs: 4000, width: 854, height: 480 }] });
    expect(run.judge.health().openErrors).toEqual([6403]);
    run.goLive();
    expect(run.judge.health().openErrors).toEqual([]);
  });

  describe('that the server gave the encoder', () => {
    const setup = { configId: 'airlock-2', atMs: 0, ownerId: '1', client: 'obs', videoKbps: 1_300 };
    const live = () => {
      const run = new LiveRun().connect().send({ durationMs: 3000, levelIdc: 41 }).goLive();
      return run.send({ durationMs: 4000, levelIdc: 41, startMs: 3000 }).disconnect(false).wait(5000);
    };
    const smaller = { durationMs: 4000, levelIdc: 41, width: 854, height: 480 };

    test('are the reference of the publish that uses them', () => {
      const run = live().connect('obs', { ...setup, width: 854, height: 480, fps: 30 });
      expect(run.send(smaller).codes).not.toContain(6403);
      run.disconnect(false).wait(2000).connect('obs').send({ durationMs: 4000, levelIdc: 41 });
      expect(run.codes).toContain(6403);
    });

    test('do not excuse a picture of another size, nor other audio', () => {
      const other = live().connect('obs', { ...setup, width: 1920, height: 1080, fps: 30 });
      expect(other.send(smaller).codes).toContain(6403);
      const audio = live().connect('obs', { ...setup, width: 854, height: 480, fps: 30 });
      expect(audio.send({ ...smaller, sampleRate: 44_100 }).codes).toContain(6403);
    });
  });
});

/** Video header rules (6201 to 6205, 6207, 6212, 6213): at each bound, just inside and just outside. */
import { describe, expect, test } from '@jest/globals';
import { buildPps, buildSps } from '../support/h264-writer.js';
import type { SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, only, timesOf } from './harness.js';

const SHORT: SynthOptions = { durationMs: 1500 };

describe('6201 VIDEO_CODEC_UNSUPPORTED', () => {
  test.each([
    ['hvc1', 'HEVC (H.265)'],
    ['av01', 'AV1'],
    ['vp09', 'VP9'],
    ['vp08', 'VP8'],
  ])('%s is named', (videoCodec, name) => {
    const run = judgeStream({ ...SHORT, videoCodec, metadata: false });
    expect(only(run, 6201)).toMatchObject({ observed: name, limit: 'H.264', severity: 'error', stream_time_ms: 0 });
  });

  test('names the bytes of an unknown FourCC and keeps the connection', () => {
    const run = judgeStream({ ...SHORT, videoCodec: 'qZ7!', metadata: false });
    expect(only(run, 6201).observed).toBe('0x715a3721 (unknown codec)');
  });

  test('accepts H.264 by Enhanced RTMP', () => {
    expect(codesOf({ ...SHORT, enhanced: true })).toEqual([]);
  });
});

describe('6202 VIDEO_LEVEL_TOO_HIGH', () => {
  test('accepts 4.1 and rejects 4.2 at 30 fps, once the class is known', () => {
    expect(codesOf({ levelIdc: 41, durationMs: 5000 })).toEqual([]);
    const run = judgeStream({ levelIdc: 42, durationMs: 5000 });
    expect(only(run, 6202)).toMatchObject({ observed: '4.2', limit: '4.1', stream_time_ms: 3000 });
  });

  test('accepts 4.2 at 60 fps', () => {
    expect(codesOf({ levelIdc: 42, fps: 60, durationMs: 5000 })).toEqual([]);
  });

  test('rejects level 5 at once, before the class is known', () => {
    const run = judgeStream({ levelIdc: 50, fps: 60, durationMs: 5000 });
    expect(only(run, 6202)).toMatchObject({ observed: '5', limit: '4.2', stream_time_ms: 0 });
  });

  test('accepts level 1b in both encodings', () => {
    const spelt9 = { width: 176, height: 144, levelIdc: 9, ...SHORT };
    const spelt11 = { width: 176, height: 144, levelIdc: 11, profileIdc: 77, sps: { constraintFlags: 0x10 }, ...SHORT };
    expect(codesOf(spelt9)).not.toContain(6202);
    expect(codesOf(spelt11)).not.toContain(6202);
  });

  test('clears with the next conforming header', () => {
    const run = judgeStream({ levelIdc: 51, durationMs: 6000, changes: [{ atMs: 4000, levelIdc: 31 }] });
    expect(timesOf(run, 6202, 'cleared')).toEqual([4000]);
  });
});

describe('6203 VIDEO_LEVEL_UNDERSTATED', () => {
  test('reports a frame larger than the level allows with the header', () => {
    const run = judgeStream({ ...SHORT, levelIdc: 30 });
    expect(only(run, 6203)).toMatchObject({ observed: '3.1', limit: '3', stream_time_ms: 0, severity: 'warning' });
  });

  test('tolerates a macroblock rate up to 5 % above the level', () => {
    // 3600 macroblocks: level 3.1 allows 30 frames per second, 31.5 with the tolerance.
    expect(codesOf({ fps: 31.4, durationMs: 12_000 })).toEqual([]);
    const run = judgeStream({ fps: 31.7, durationMs: 12_000 });
    expect(only(run, 6203)).toMatchObject({ observed: '3.2', limit: '3.1' });
    expect(only(run, 6203).stream_time_ms).toBeLessThanOrEqual(5200);
  });

  test('clears when the rate has been inside for 10 s', () => {
    const run = judgeStream({ fps: 33, durationMs: 40_000, changes: [{ atMs: 12_000, fps: 30 }] });
    const [clearedAtMs] = timesOf(run, 6203, 'cleared');
    expect(clearedAtMs).toBeGreaterThanOrEqual(22_000);
    expect(clearedAtMs).toBeLessThanOrEqual(27_200);
  });
});

describe('6204 VIDEO_RESOLUTION_TOO_LARGE and 6205 VIDEO_RESOLUTION_UNLISTED', () => {
  const at = (width: number, height: number): number[] =>
    codesOf({ ...SHORT, width, height, levelIdc: 41 }).filter((code) => code === 6204 || code === 6205);

  test('accept at most 1920 by 1088 pixels', () => {
    expect(at(1920, 1088)).toEqual([]);
    expect(at(1922, 1088)).toEqual([6204]);
    expect(at(1920, 1090)).toEqual([6204, 6205]);
  });

  test('accept 8 pixels off a listed size on either axis, but not 10', () => {
    expect(at(1272, 728)).toEqual([]);
    expect(at(1270, 720)).toEqual([6205]);
    expect(at(1280, 730)).toEqual([6205]);
    expect(at(852, 480)).toEqual([]);
    expect(at(846, 488)).toEqual([]);
    expect(at(844, 480)).toEqual([6205]);
  });
});

describe('6207 VIDEO_ASPECT_RATIO', () => {
  const severityAt = (width: number, height: number, sar?: readonly [number, number]): string | undefined =>
    judgeStream({ ...SHORT, width, height, levelIdc: 41, sps: sar ? { vui: { sar } } : {} }).records.find(
      (record) => record.error_code === 6207,
    )?.severity;

  test('accepts 1 % off, warns above and is an error above 20 %', () => {
    expect(severityAt(1280, 720)).toBeUndefined();
    expect(severityAt(1292, 720)).toBeUndefined(); // 0.94 %
    expect(severityAt(1294, 720)).toBe('warning'); // 1.09 %
    expect(severityAt(1536, 720)).toBe('warning'); // 20 %
    expect(severityAt(1538, 720)).toBe('error');
    expect(severityAt(1024, 720)).toBe('warning'); // 20 % the other way
    expect(severityAt(1022, 720)).toBe('error');
    expect(severityAt(640, 480)).toBe('error');
  });

  test('applies the sample aspect ratio: 1440x1080 with 4:3 samples is 16:9', () => {
    expect(severityAt(1440, 1080, [4, 3])).toBeUndefined();
    expect(severityAt(1280, 720, [4, 3])).toBe('error');
    // Zero means unspecified.
    expect(severityAt(1280, 720, [0, 1])).toBeUndefined();
  });

  test('names the pixel aspect ratio of a size that is 16:9 by its numbers', () => {
    const run = judgeStream({ ...SHORT, width: 640, height: 360, sps: { vui: { sar: [2, 1] } } });
    expect(only(run, 6207).description).toMatch(/\(640x360 with pixels of 2:1\)/);
    expect(only(judgeStream({ ...SHORT, width: 640, height: 480 }), 6207).description).toMatch(/\(640x480\)/);
  });

  test('raises the severity of the open record when the ratio gets worse', () => {
    const run = judgeStream({
      width: 1280,
      height: 800,
      levelIdc: 41,
      durationMs: 4000,
      changes: [{ atMs: 2000, width: 640, height: 480 }],
    });
    expect(only(run, 6207)).toMatchObject({ severity: 'error', observed: 1.6, worst: 1.333, count: 1 });
  });
});

describe('6212 VIDEO_INTERLACED and 6213 VIDEO_CHROMA_UNSUPPORTED', () => {
  test('accept frame_mbs_only_flag 0 alone and report MBAFF', () => {
    expect(codesOf({ ...SHORT, levelIdc: 41, sps: { frameMbsOnly: false } })).toEqual([]);
    const run = judgeStream({ ...SHORT, levelIdc: 41, sps: { frameMbsOnly: false, mbaff: true } });
    expect(only(run, 6212)).toMatchObject({ observed: 'MBAFF', limit: 'progressive' });
  });

  test('report chroma other than 4:2:0 and more than 8 bits', () => {
    const at = (sps: SynthOptions['sps'], profileIdc: number) =>
      judgeStream({ ...SHORT, profileIdc, ...(sps ? { sps } : {}) }).records.map((record) => [
        record.error_code,
        record.observed,
      ]);
    expect(at({ chromaFormatIdc: 2 }, 122)).toEqual([[6213, '4:2:2 with 8 bits']]);
    expect(at({ chromaFormatIdc: 3 }, 244)).toEqual([[6213, '4:4:4 with 8 bits']]);
    expect(at({ bitDepthLuma: 10, bitDepthChroma: 10 }, 110)).toEqual([[6213, '4:2:0 with 10 bits']]);
    expect(at({ bitDepthChroma: 9 }, 110)).toEqual([[6213, '4:2:0 with 9 bits']]);
    expect(at({ chromaFormatIdc: 0 }, 100)).toEqual([[6213, '4:0:0 with 8 bits']]);
  });
});

describe('parameter sets in band', () => {
  test('are parsed from a new SPS inside a key frame only', () => {
    const keyFrameNals = [buildSps({ width: 1024, height: 768, levelIdc: 31, profileIdc: 100 }), buildPps()];
    const run = judgeStream({ durationMs: 8000, changes: [{ atMs: 4000, keyFrameNals, nalLengthSize: 4 }] });
    expect(run.records.map(({ error_code }) => error_code).sort()).toEqual([6205, 6207, 6403]);
    expect(only(run, 6403).observed).toBe('1024x768');
  });
});

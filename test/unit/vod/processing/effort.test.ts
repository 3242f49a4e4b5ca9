import type { ProbedFile } from '../../../../src/facts/probed-file.js';
import { excessReason, laneFor, limitMs, PROCESSING } from '../../../../src/vod/processing/effort.js';

interface Given {
  readonly width?: number;
  readonly height?: number;
  readonly hours?: number;
  readonly frameRate?: number | undefined;
  readonly sampleAspect?: number;
  readonly sizeBytes?: number;
}

function file(given: Given = {}): ProbedFile {
  const { width = 1920, height = 1080, hours = 1, sampleAspect = 1, sizeBytes = 73_000 } = given;
  const frameRate = 'frameRate' in given ? given.frameRate : 30;
  return {
    facts: { formatNames: ['mp4'], video: { width, height, sampleAspect, rotationDegrees: 0 } },
    container: 'mp4',
    demuxer: 'mov',
    sizeBytes,
    lengthMs: hours * 3_600_000,
    video: { codec: 'h264', width: width * sampleAspect, height, ...(frameRate === undefined ? {} : { frameRate }) },
    fastStart: true,
  };
}

const ENCODE = { video: true, audio: true };
const COPY = { video: false, audio: false };

test('accepts long uploads of usual sizes, with time for a third of the speed of one core', () => {
  for (const given of [
    { hours: 4 },
    { hours: 24 },
    { hours: 12, frameRate: 60 },
    { hours: 6, width: 3840, height: 2160 },
    { hours: 90, width: 1280, height: 720, frameRate: 15 },
  ]) {
    expect([given, excessReason(file(given))]).toEqual([given, undefined]);
  }
  expect(limitMs(file({ hours: 4 }), ENCODE)).toBeGreaterThan(4 * 3_600_000);
});

test('refuses larger uploads and gives the numbers', () => {
  expect(excessReason(file({ hours: 25 }))).toBe(
    '25 h of 1920x1080 at 30 frames a second is too much to process; at most as much as 24 h of 1920x1080 at 30 is accepted',
  );
  for (const given of [
    { hours: 3, width: 3840, height: 2160, frameRate: 120 },
    { hours: 1_000, width: 3840, height: 2160, frameRate: 0.01 },
    { hours: 100, width: 16, height: 16, frameRate: 1_000 },
    { hours: 24, frameRate: undefined },
    { hours: 8, width: 64, height: 16_384, sampleAspect: 30 },
  ]) {
    expect([given, excessReason(file(given))]).toEqual([given, expect.stringContaining('too much to process')]);
  }
  expect(excessReason(file({ hours: 0.001, width: 16_384, height: 16_384 }))).toContain(
    'frames of 16384x16384 are too large',
  );
});

test('accepts audio of any length', () => {
  const { video: _none, ...facts } = file().facts;
  expect(excessReason({ ...file({ hours: 1_000 }), facts })).toBeUndefined();
});

test('the work determines the lane; a copy is not a conversion', () => {
  expect(laneFor(file({ hours: 100 }), COPY)).toBe('copy');
  expect(laneFor(file({ hours: 5 / 3_600, width: 640, height: 360 }), ENCODE)).toBe('short');
  expect(laneFor(file({ hours: 60 / 3_600 }), ENCODE)).toBe('long');
  expect(laneFor(file({ hours: 1 }), { video: false, audio: true })).toBe('long');
});

test('a file of unknown duration goes to the long lane with the maximum time limit', () => {
  const unknown = { ...file(), lengthMs: 0 };
  expect(laneFor(unknown, ENCODE)).toBe('long');
  expect(limitMs(unknown, ENCODE)).toBe(PROCESSING.limitMaxMs);
  expect(excessReason(unknown)).toBeUndefined();
});

test('a small file with a declared second of video gets two minutes', () => {
  expect(limitMs(file({ hours: 1 / 3_600, width: 320, height: 180 }), ENCODE)).toBeLessThan(125_000);
  expect(limitMs(file({ sizeBytes: 10 * 1024 ** 3 }), COPY)).toBeGreaterThan(3_600_000);
});

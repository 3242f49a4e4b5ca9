/** One stream per way to violate the specification, with exactly the codes that it raises. */
import { describe, expect, test } from '@jest/globals';
import type { SynthOptions } from '../support/synth-stream.js';
import { codesOf } from './harness.js';

const CASES: readonly (SynthOptions & { readonly name: string; readonly codes: readonly number[] })[] = [
  { name: 'HEVC by Enhanced RTMP', videoCodec: 'hvc1', metadata: false, codes: [6201] },
  { name: 'AV1 by Enhanced RTMP', videoCodec: 'av01', metadata: false, codes: [6201] },
  { name: 'level 5', levelIdc: 50, codes: [6202] },
  { name: 'level 4.2 at 30 fps', levelIdc: 42, codes: [6202] },
  { name: 'level 4.2 at 60 fps', levelIdc: 42, fps: 60, videoKbps: 3000, codes: [] },
  { name: 'level 3 at 720p', levelIdc: 30, codes: [6203] },
  { name: 'level 3.1 at 720p60', levelIdc: 31, fps: 60, videoKbps: 3000, codes: [6203] },
  { name: '1440p', width: 2560, height: 1440, levelIdc: 41, videoKbps: 4500, codes: [6203, 6204, 6205] },
  { name: '540p', width: 960, height: 540, videoKbps: 1500, codes: [6205] },
  { name: '75 fps', fps: 75, levelIdc: 42, videoKbps: 3000, durationMs: 20_000, codes: [6206] },
  { name: '480p at 60 fps', width: 854, height: 480, fps: 60, videoKbps: 1000, durationMs: 20_000, codes: [6206] },
  { name: '4:3', width: 640, height: 480, videoKbps: 700, codes: [6205, 6207] },
  { name: 'key frames every 6 s', keyFrameIntervalMs: 6000, codes: [6208] },
  { name: 'key frames every 4 s', keyFrameIntervalMs: 4000, durationMs: 30_000, codes: [6209] },
  { name: 'too many bits', videoKbps: 5000, durationMs: 20_000, codes: [6210] },
  { name: 'too few bits', videoKbps: 1000, durationMs: 30_000, codes: [6211] },
  { name: 'MP3', audioCodec: '.mp3', metadata: false, codes: [6301] },
  { name: 'HE-AAC, hierarchical', asc: { sampleRate: 24_000, sbr: 'explicit' }, metadata: false, codes: [6302] },
  { name: '32 kHz', sampleRate: 32_000, codes: [6303] },
  { name: 'mono', channels: 1, codes: [6304] },
  { name: 'audio at 300 kbps', audioKbps: 300, durationMs: 30_000, codes: [6305, 6306] },
  { name: 'audio at 160 kbps', audioKbps: 160, durationMs: 30_000, codes: [6306] },
  { name: 'no video', video: false, codes: [6401] },
  { name: 'no audio', audio: false, codes: [6402] },
  { name: 'another size in mid-stream', changes: [{ atMs: 5000, width: 640, height: 360 }], codes: [6403] },
];

describe('each violation raises its code and no other', () => {
  test.each(CASES)('$name: $codes', ({ name: _name, codes, ...options }) => {
    expect(codesOf(options)).toEqual(codes);
  });
});

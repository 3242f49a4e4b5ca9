/** 6701 to 6707: files against the upload table, at each bound, just inside and just outside. */
import { describe, expect, test } from '@jest/globals';
import type { FileAudioFacts, FileFacts, FileVideoFacts } from '../../src/facts/probed-file.js';
import { fileRecords, judgeFile } from '../../src/rules/judging/file-records.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../src/spec/upload.js';

const VIDEO: FileVideoFacts = { width: 1920, height: 1080, sampleAspect: 1, rotationDegrees: 0 };
const AUDIO: FileAudioFacts = { codec: 'aac', profile: 'LC', sampleRate: 48_000, channels: 2, bitrateKbps: 128 };
const FILE: FileFacts = { formatNames: ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'], video: VIDEO, audio: AUDIO };

const codes = (facts: FileFacts): number[] => judgeFile(facts).map(({ entry }) => entry.code);
const withVideo = (video: Partial<FileVideoFacts>): number[] => codes({ ...FILE, video: { ...VIDEO, ...video } });
const withAudio = (audio: Partial<FileAudioFacts>): number[] => codes({ ...FILE, audio: { ...AUDIO, ...audio } });

describe('uploads', () => {
  test('accepts a conforming file, with and without audio', () => {
    expect(codes(FILE)).toEqual([]);
    const { audio: _audio, ...silent } = FILE;
    expect(codes(silent)).toEqual([]);
  });

  test.each(UPLOAD.containers.map((name) => [name]))('6701: recognizes %s by content', (name) => {
    expect(codes({ ...FILE, formatNames: DEMUXERS_OF_CONTAINER[name].slice(0, 1) })).toEqual([]);
  });

  test('6701: rejects other containers', () => {
    for (const formatNames of [['matroska', 'webm']]) {
      expect(codes({ ...FILE, formatNames })).toEqual([]);
      expect(codes({ ...FILE, formatNames, docType: 'webm' })).toEqual([6701]);
    }
    expect(codes({ ...FILE, formatNames: ['wav'] })).toEqual([6701]);
    expect(codes({ ...FILE, formatNames: ['rm'] })).toEqual([6701]);
  });

  test('6702: accepts a display aspect ratio of 16:9 or 9:16 within 1 %', () => {
    expect(withVideo({ width: 854, height: 480 })).toEqual([]);
    expect(withVideo({ width: 1080, height: 1920 })).toEqual([]);
    expect(withVideo({ width: 1920, height: 1080, rotationDegrees: -90 })).toEqual([]);
    expect(withVideo({ width: 1440, height: 1080, sampleAspect: 4 / 3 })).toEqual([]);
    expect(withVideo({ width: 1292, height: 720 })).toEqual([]);
    expect(withVideo({ width: 1294, height: 720 })).toEqual([6702]);
    expect(withVideo({ width: 720, height: 1294 })).toEqual([6702]);
    expect(withVideo({ width: 1080, height: 1080 })).toEqual([6702]);
    expect(withVideo({ width: 1440, height: 1080 })).toEqual([6702]);
  });

  test('6703 to 6706: judge the audio settings', () => {
    expect(withAudio({ codec: 'mp3' })).toEqual([6703]);
    expect(withAudio({ profile: 'HE-AAC' })).toEqual([]);
    expect(withAudio({ sampleRate: 44_100 })).toEqual([6704]);
    expect(withAudio({ channels: 1 })).toEqual([]);
    expect(withAudio({ channels: 6 })).toEqual([6705]);
    expect(withAudio({ bitrateKbps: 268.8 })).toEqual([]);
    expect(withAudio({ bitrateKbps: 269 })).toEqual([6706]);
    const { bitrateKbps: _unknown, ...unknown } = AUDIO;
    expect(codes({ ...FILE, audio: unknown })).toEqual([]);
  });

  test('6707: is the only fault of an unreadable file', () => {
    expect(codes({ formatNames: [], fault: 'no format was recognized' })).toEqual([6707]);
    const { video: _video, ...soundOnly } = FILE;
    expect(codes(soundOnly)).toEqual([6707]);
  });

  test('describes the finding and the remedy in the record', () => {
    const [record] = fileRecords(
      { ...FILE, audio: { ...AUDIO, sampleRate: 44_100 } },
      Date.UTC(2026, 0, 2),
      (n) => `500_0_${n}`,
    );
    expect(record).toMatchObject({
      id: '500_0_1',
      error_code: 6704,
      error_subcode: 'VIDEO__CREATE_FAILED',
      severity: 'error',
      observed: 44_100,
      limit: 48_000,
      count: 1,
      source: 'service',
      evidence: { first: { kind: 'file' } },
    });
    expect(record?.description).toBe(
      '[6704 UPLOAD_AUDIO_SAMPLE_RATE] The audio sample rate is 44.1 kHz; it must be 48 kHz. Export the audio at a sample rate of 48 kHz.',
    );
  });
});

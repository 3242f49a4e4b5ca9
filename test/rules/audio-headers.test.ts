/** Rules on audio headers: 6301 to 6304. */
import { describe, expect, test } from '@jest/globals';
import { buildAsc } from '../support/aac-writer.js';
import { aacSequenceHeader, legacyAudio } from '../support/flv-writer.js';
import type { SynthFrame, SynthMessage, SynthOptions } from '../support/synth-stream.js';
import { codesOf, judgeStream, only, timesOf } from './harness.js';

const SHORT: SynthOptions = { durationMs: 1500, metadata: false };

/** Audio of an old FLV codec, with rate and channels in its header byte. */
const legacy = (format: number, lowBits: number): SynthOptions => ({
  ...SHORT,
  edit: (frame: SynthFrame): SynthMessage[] => {
    if (frame.kind !== 'audio') return [frame];
    return frame.role === 'config' ? [] : [{ ...frame, payload: legacyAudio(format, new Uint8Array(200), lowBits) }];
  },
});

describe('6301 AUDIO_CODEC_UNSUPPORTED', () => {
  test.each([
    ['.mp3', 'MP3'],
    ['Opus', 'Opus'],
    ['fLaC', 'FLAC'],
    ['ac-3', 'AC-3'],
  ])('%s by Enhanced RTMP', (audioCodec, name) => {
    expect(only(judgeStream({ ...SHORT, audioCodec }), 6301)).toMatchObject({
      observed: name,
      limit: 'AAC low complexity',
    });
  });

  test.each([
    [2, 'MP3'],
    [3, 'PCM'],
    [11, 'Speex'],
  ])('FLV sound format %d', (format, name) => {
    expect(only(judgeStream(legacy(format, 0x0f)), 6301).observed).toBe(name);
  });

  test('judges rate and channels of MP3 by the FLV header, but not those of Speex', () => {
    // 22.05 kHz, 16 bit, mono
    expect(codesOf(legacy(2, 0x0a))).toEqual([6301, 6303, 6304]);
    expect(codesOf(legacy(11, 0x06))).toEqual([6301]);
  });

  test('accepts AAC by Enhanced RTMP', () => {
    expect(codesOf({ ...SHORT, enhanced: true })).toEqual([]);
  });
});

describe('6302 AUDIO_PROFILE_UNSUPPORTED', () => {
  const observed = (asc: SynthOptions['asc']): unknown =>
    judgeStream({ ...SHORT, ...(asc ? { asc } : {}) }).records.find(({ error_code }) => error_code === 6302)?.observed;

  test('reports every form of signaled HE-AAC', () => {
    expect(observed({ sampleRate: 24_000, sbr: 'explicit' })).toBe('HE-AAC');
    expect(observed({ sampleRate: 24_000, sbr: 'backwardCompatible' })).toBe('HE-AAC');
    expect(observed({ sampleRate: 24_000, ps: 'explicit' })).toBe('HE-AAC v2');
    expect(observed({ sampleRate: 24_000, sbr: 'backwardCompatible', ps: 'backwardCompatible' })).toBe('HE-AAC v2');
  });

  test('accepts a disabled SBR extension as low complexity', () => {
    expect(codesOf({ ...SHORT, asc: { sbr: 'off' } })).toEqual([]);
  });

  test('reports other object types', () => {
    expect(observed({ audioObjectType: 1 })).toBe('AAC Main');
    expect(observed({ audioObjectType: 23 })).toBe('AAC LD');
    expect(observed({ audioObjectType: 42 })).toBe('xHE-AAC (USAC)');
  });

  test('judges HE-AAC by its output sample rate', () => {
    expect(codesOf({ ...SHORT, asc: { sampleRate: 24_000, sbr: 'explicit' } })).toEqual([6302]);
    // Implicit signaling shows only half the rate.
    expect(codesOf({ ...SHORT, asc: { sampleRate: 24_000 } })).toEqual([6303]);
  });
});

describe('channels of HE-AAC over a mono core', () => {
  const MONO = { sampleRate: 24_000, channelConfiguration: 1 };

  test.each([
    ['parametric stereo, explicit: stereo', { ps: 'explicit' }, [6302], 2],
    [
      'parametric stereo, backward compatible: stereo',
      { sbr: 'backwardCompatible', ps: 'backwardCompatible' },
      [6302],
      2,
    ],
    ['band replication, parametric stereo not signaled: unknown', { sbr: 'explicit' }, [6302], undefined],
    ['band replication, parametric stereo off: mono', { sbr: 'backwardCompatible', ps: 'off' }, [6302, 6304], 1],
    ['nothing signaled: the channels of the header', {}, [6303, 6304], 1],
  ] as const)('%s', (_what, signaled, codes, channels) => {
    const { judge, records } = judgeStream({ ...SHORT, asc: { ...MONO, ...signaled } });
    expect(records.map(({ error_code }) => error_code)).toEqual(codes);
    expect(judge.health().channels).toBe(channels);
  });
});

describe('6303 AUDIO_SAMPLE_RATE_UNSUPPORTED', () => {
  test.each([
    [48_000, []],
    [44_100, []],
    [32_000, [6303]],
    [96_000, [6303]],
    [22_050, [6303]],
  ])('%d Hz', (sampleRate, codes) => {
    expect(codesOf({ ...SHORT, sampleRate })).toEqual(codes);
  });

  test('rejects an escaped rate of 48,001 Hz', () => {
    expect(codesOf({ ...SHORT, asc: { sampleRate: 48_001 } })).toEqual([6303]);
  });
});

describe('6304 AUDIO_CHANNELS_NOT_STEREO', () => {
  test.each([
    [1, 1],
    [6, 6],
    [8, 8],
  ])('%d channels', (channels, observed) => {
    expect(only(judgeStream({ ...SHORT, channels }), 6304)).toMatchObject({ observed, limit: 2, unit: 'channels' });
  });

  test('accepts a program config element with one pair and rejects one with a single channel', () => {
    expect(codesOf({ ...SHORT, asc: { channelConfiguration: 0, programConfig: { front: [true] } } })).toEqual([]);
    expect(codesOf({ ...SHORT, asc: { channelConfiguration: 0, programConfig: { front: [false] } } })).toEqual([6304]);
  });

  test('ignores the empty header that ffmpeg sends first', () => {
    const edit = (frame: SynthFrame): SynthMessage[] =>
      frame.kind === 'audio' && frame.role === 'config'
        ? [{ ...frame, payload: aacSequenceHeader(new Uint8Array(0)) }, frame]
        : [frame];
    expect(codesOf({ ...SHORT, edit })).toEqual([]);
  });

  test('clears with the next conforming header', () => {
    const run = judgeStream({
      durationMs: 4000,
      channels: 1,
      edit: (frame) =>
        frame.kind === 'audio' && frame.index === 100
          ? [{ ...frame, payload: aacSequenceHeader(buildAsc()) }, frame]
          : [frame],
    });
    const [clearedAtMs] = timesOf(run, 6304, 'cleared');
    expect(clearedAtMs).toBeGreaterThan(2000);
    expect(clearedAtMs).toBeLessThan(2200);
  });
});

import { WireError } from '../../../../src/bytes/wire-error.js';
import { objectTypeName, parseAudioSpecificConfig } from '../../../../src/media/aac/audio-specific-config.js';
import { type AscFields, buildAsc } from '../../../support/aac-writer.js';
import { hex } from '../../../support/bit-writer.js';

describe('AudioSpecificConfig of real encoders', () => {
  test.each([
    [
      '1190',
      'AAC LC 48 kHz stereo',
      { sampleRate: 48000, channels: 2, sbr: 'none', ps: 'none', objectTypeName: 'AAC LC' },
    ],
    ['1210', 'AAC LC 44.1 kHz stereo', { sampleRate: 44100, channels: 2 }],
    ['1208', 'AAC LC 44.1 kHz mono', { channels: 1 }],
    [
      '1388',
      'ffmpeg -c copy of an ADTS HE-AAC v2 file: not signaled in the header',
      { sampleRate: 22050, channels: 1, sbr: 'none' },
    ],
    [
      '119056e500',
      'OBS 29 with FFmpeg AAC: extension present, switched off',
      { sampleRate: 48000, sbr: 'off', objectTypeName: 'AAC LC' },
    ],
    ['120856e500', 'ffmpeg 5.1, aac', { sampleRate: 44100, channels: 1, sbr: 'off', ps: 'none' }],
    [
      '2b920800',
      'fdk-aac HE-AAC, hierarchical',
      {
        signaledObjectType: 5,
        audioObjectType: 2,
        sampleRate: 22050,
        extensionSampleRate: 44100,
        sbr: 'explicit',
        objectTypeName: 'HE-AAC',
      },
    ],
    [
      'eb098800',
      'fdk-aac HE-AAC v2, hierarchical',
      {
        signaledObjectType: 29,
        audioObjectType: 2,
        sampleRate: 24000,
        extensionSampleRate: 48000,
        ps: 'explicit',
        objectTypeName: 'HE-AAC v2',
      },
    ],
    ['1780678410', 'a 24-bit rate', { sampleRate: 53000, channels: 2 }],
    ['10120c08', 'depends on a core coder, with its delay', { sampleRate: 96000, channels: 2, frameLength: 1024 }],
    ['1238', 'eight channels', { channelConfiguration: 7, channels: 8 }],
    ['1230', '5.1', { channels: 6 }],
  ])('%s: %s', (bytes, _name, expected) => {
    expect(parseAudioSpecificConfig(hex(bytes))).toMatchObject(expected);
  });
});

describe('AudioSpecificConfig, every signaling', () => {
  test.each<[string, AscFields, object]>([
    ['plain LC', {}, { audioObjectType: 2, signaledObjectType: 2, sbr: 'none', ps: 'none', frameLength: 1024 }],
    ['960 samples', { shortFrames: true }, { frameLength: 960 }],
    ['AAC Main', { audioObjectType: 1 }, { objectTypeName: 'AAC Main' }],
    ['LTP', { audioObjectType: 4 }, { objectTypeName: 'AAC LTP' }],
    ['LD', { audioObjectType: 23 }, { objectTypeName: 'AAC LD', frameLength: 512 }],
    ['ER LC', { audioObjectType: 17, sbr: 'off' }, { objectTypeName: 'ER AAC LC', sbr: 'off' }],
    ['ELD', { audioObjectType: 39 }, { objectTypeName: 'AAC ELD', frameLength: 512, audioObjectType: 39 }],
    ['USAC', { audioObjectType: 42 }, { objectTypeName: 'xHE-AAC (USAC)', audioObjectType: 42 }],
    ['a rarely used object type', { audioObjectType: 41 }, { objectTypeName: 'object type 41' }],
    ['a 24-bit rate that has an index', { escapedSampleRate: true }, { sampleRate: 48000 }],
    ['a rate without an index', { sampleRate: 47999 }, { sampleRate: 47999 }],
    [
      'SBR hierarchical',
      { sampleRate: 24000, sbr: 'explicit' },
      {
        signaledObjectType: 5,
        audioObjectType: 2,
        sbr: 'explicit',
        ps: 'none',
        sampleRate: 24000,
        extensionSampleRate: 48000,
      },
    ],
    [
      'PS hierarchical',
      { sampleRate: 22050, ps: 'explicit', channelConfiguration: 1 },
      { signaledObjectType: 29, sbr: 'explicit', ps: 'explicit', objectTypeName: 'HE-AAC v2', channels: 1 },
    ],
    [
      'SBR backward compatible',
      { sampleRate: 24000, sbr: 'backwardCompatible' },
      {
        signaledObjectType: 2,
        sbr: 'backwardCompatible',
        ps: 'none',
        objectTypeName: 'HE-AAC',
        extensionSampleRate: 48000,
      },
    ],
    [
      'SBR at a rate without an index',
      { sampleRate: 24000, sbr: 'backwardCompatible', extensionSampleRate: 47000 },
      { sbr: 'backwardCompatible', extensionSampleRate: 47000 },
    ],
    [
      'PS backward compatible',
      { sampleRate: 24000, channelConfiguration: 1, sbr: 'backwardCompatible', ps: 'backwardCompatible' },
      { sbr: 'backwardCompatible', ps: 'backwardCompatible', objectTypeName: 'HE-AAC v2' },
    ],
    [
      'PS switched off',
      { sbr: 'backwardCompatible', ps: 'off' },
      { sbr: 'backwardCompatible', ps: 'off', objectTypeName: 'HE-AAC' },
    ],
    [
      'SBR switched off',
      { sbr: 'off' },
      { sbr: 'off', ps: 'none', objectTypeName: 'AAC LC', extensionSampleRate: undefined },
    ],
    [
      'a program config element with one pair is stereo',
      { channelConfiguration: 0, programConfig: { front: [true] }, sbr: 'off' },
      { channelConfiguration: 0, channels: 2, sbr: 'off' },
    ],
    [
      'a program config element with 5.1 and a comment',
      {
        channelConfiguration: 0,
        programConfig: { front: [false, true], back: [true], lfe: 1, comment: 'mixed by hand' },
        sbr: 'off',
      },
      { channels: 6, sbr: 'off' },
    ],
    [
      'two single channels',
      { channelConfiguration: 0, programConfig: { front: [false], side: [false] } },
      { channels: 2, channelConfiguration: 0 },
    ],
    ['a reserved channel configuration', { channelConfiguration: 9 }, { channelConfiguration: 9, channels: 0 }],
    ['6.1', { channelConfiguration: 11 }, { channels: 7 }],
    ['22.2', { channelConfiguration: 13 }, { channels: 24 }],
  ])('%s', (_name, fields, expected) => {
    expect(parseAudioSpecificConfig(buildAsc(fields))).toMatchObject(expected);
  });

  test.each([96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350])(
    'rate %d by index',
    (sampleRate) => {
      expect(parseAudioSpecificConfig(buildAsc({ sampleRate })).sampleRate).toBe(sampleRate);
      expect(buildAsc({ sampleRate })).toHaveLength(2);
    },
  );

  test('ignores bytes after the config that are not an extension', () => {
    expect(parseAudioSpecificConfig(hex('1190 0000 0000'))).toMatchObject({ sbr: 'none', ps: 'none' });
    expect(parseAudioSpecificConfig(hex('1190 56'))).toMatchObject({ sbr: 'none' });
  });

  test('names object types', () => expect(objectTypeName(2)).toBe('AAC LC'));
});

describe('AudioSpecificConfig faults', () => {
  const codeOf = (bytes: string): string => {
    try {
      parseAudioSpecificConfig(hex(bytes));
    } catch (error) {
      if (error instanceof WireError) return error.code;
      throw error;
    }
    return 'parsed';
  };

  test.each([
    ['', 'WIRE_TRUNCATED'],
    ['12', 'WIRE_TRUNCATED'],
    ['1690', 'ASC_SAMPLE_RATE'], // index 13
    ['1710', 'ASC_SAMPLE_RATE'], // index 14
    ['1780000010', 'ASC_SAMPLE_RATE'], // 24-bit rate 0
    ['2b92', 'WIRE_TRUNCATED'],
    ['1180', 'WIRE_TRUNCATED'], // program config element missing
    ['f9', 'WIRE_TRUNCATED'],
  ])('refuses %s with %s', (bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });
});

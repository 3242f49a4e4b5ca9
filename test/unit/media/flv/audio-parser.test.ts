import { SliceList } from '../../../../src/bytes/slices.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';
import type { AudioPacket } from '../../../../src/media/packet.js';
import { type AscFields, buildAsc } from '../../../support/aac-writer.js';
import { hex } from '../../../support/bit-writer.js';
import { aacFrame, aacSequenceHeader, legacyAudio } from '../../../support/flv-writer.js';

function parseWith(parser: TagParser, ...bodies: readonly Uint8Array[]): AudioPacket {
  bodies.forEach((body, i) => {
    expect(parser.parseAudio(SliceList.of(body), i * 21)).toBe(1);
  });
  return { ...parser.audio };
}
const parse = (...bodies: readonly Uint8Array[]): AudioPacket => parseWith(new TagParser(), ...bodies);

describe('AAC in its legacy form', () => {
  test('reads a sequence header and a frame', () => {
    expect(parse(aacSequenceHeader(buildAsc()))).toMatchObject({
      type: 'config',
      codec: 'mp4a',
      payloadBytes: 0,
      config: { audioObjectType: 2, sampleRate: 48000, channels: 2 },
      fault: undefined,
    });
    expect(parse(aacFrame(new Uint8Array(300)))).toMatchObject({
      type: 'coded',
      codec: 'mp4a',
      payloadBytes: 300,
      flvSampleRate: 0,
    });
  });

  test.each([0x0f, 0x0e, 0x0c, 0x00])('ignores header bits %d', (lowBits) => {
    expect(parse(aacSequenceHeader(buildAsc({ channelConfiguration: 1 }), lowBits))).toMatchObject({
      codec: 'mp4a',
      config: { channels: 1 },
    });
    expect(parse(aacFrame(new Uint8Array(3), lowBits))).toMatchObject({ type: 'coded', payloadBytes: 3 });
  });

  test('reads the empty header of ffmpeg as empty and keeps the state', () => {
    const parser = new TagParser();
    expect(parseWith(parser, hex('af00'))).toMatchObject({
      type: 'empty',
      codec: 'mp4a',
      config: undefined,
      fault: undefined,
    });
    const first = parseWith(parser, aacSequenceHeader(buildAsc()));
    parseWith(parser, hex('af00'));
    expect(parseWith(parser, aacSequenceHeader(buildAsc())).config).toBe(first.config);
  });

  test('returns the same object for an identical header, and a new one for another', () => {
    const parser = new TagParser();
    const first = parseWith(parser, aacSequenceHeader(buildAsc()));
    expect(parseWith(parser, aacSequenceHeader(buildAsc())).config).toBe(first.config);
    expect(parseWith(parser, aacSequenceHeader(buildAsc({ sbr: 'off' }))).config).not.toBe(first.config);
  });

  test.each<[string, AscFields, object]>([
    ['explicit', { sampleRate: 24000, sbr: 'explicit' }, { sbr: 'explicit', audioObjectType: 2 }],
    ['backward compatible', { sampleRate: 24000, sbr: 'backwardCompatible' }, { sbr: 'backwardCompatible' }],
    ['implicit, which a header cannot show', { sampleRate: 24000 }, { sbr: 'none', sampleRate: 24000 }],
  ])('reads HE-AAC, %s', (_name, fields, config) => {
    expect(parse(aacSequenceHeader(buildAsc(fields)))).toMatchObject({ type: 'config', config, fault: undefined });
  });

  test.each([
    ['no bytes', ''],
    ['one byte', 'af'],
    ['two bytes', 'af01'],
  ])('reads %s as empty, not as a fault', (_name, bytes) => {
    expect(parse(hex(bytes))).toMatchObject({ type: 'empty', payloadBytes: 0, fault: undefined });
  });

  test('reports a code for a parse error', () => {
    expect(parse(hex('af00 12'))).toMatchObject({ type: 'config', config: undefined, fault: 'WIRE_TRUNCATED' });
    expect(parse(hex('af00 1690'))).toMatchObject({ type: 'config', fault: 'ASC_SAMPLE_RATE' });
    expect(parse(hex('af02 00'))).toMatchObject({ type: 'other', fault: 'AUDIO_PACKET_TYPE' });
  });

  test('reads only the start of a huge configuration', () => {
    expect(parse(aacSequenceHeader(new Uint8Array(100_000).fill(0x11)))).toMatchObject({
      type: 'config',
      fault: undefined,
    });
  });
});

describe("FLV's other codecs", () => {
  test.each([
    [0, 0x0f, 'pcm', 44100, 2],
    [1, 0x06, 'adpcm', 11025, 1],
    [2, 0x0b, '.mp3', 22050, 2],
    [3, 0x0f, 'pcm-little-endian', 44100, 2],
    [4, 0x0f, 'nellymoser', 16000, 1],
    [5, 0x0f, 'nellymoser', 8000, 1],
    [6, 0x02, 'nellymoser', 5512, 1],
    [7, 0x0f, 'g711-alaw', 8000, 2],
    [8, 0x02, 'g711-mulaw', 8000, 1],
    [11, 0x06, 'speex', 16000, 1],
    [13, 0x0f, 'Opus', 44100, 2],
    [14, 0x02, '.mp3', 8000, 1],
    [15, 0x0f, 'device-specific', 44100, 2],
    [12, 0x0f, 'unknown:0000000c', 44100, 2],
  ])('reads sound format %d', (format, lowBits, codec, flvSampleRate, flvChannels) => {
    expect(parse(legacyAudio(format, new Uint8Array(5), lowBits))).toMatchObject({
      type: 'coded',
      codec,
      payloadBytes: 5,
      flvSampleRate,
      flvChannels,
      config: undefined,
      fault: undefined,
    });
  });

  test('reads a header without a body as empty', () => {
    expect(parse(hex('2f'))).toMatchObject({ type: 'empty', codec: '.mp3' });
  });
});

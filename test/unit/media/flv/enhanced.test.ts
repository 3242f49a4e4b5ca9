import { SliceList } from '../../../../src/bytes/slices.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';
import type { AudioPacket, VideoPacket } from '../../../../src/media/packet.js';
import { buildAsc } from '../../../support/aac-writer.js';
import { concat, hex } from '../../../support/bit-writer.js';
import { enhancedAudio, enhancedVideo, nanosecondOffset, withCompositionTime } from '../../../support/flv-writer.js';
import { buildAvcc, buildSps, lengthPrefixed, slice } from '../../../support/h264-writer.js';

function videoTracks(parser: TagParser, body: Uint8Array): VideoPacket[] {
  const count = parser.parseVideo(SliceList.of(body), 100);
  return Array.from({ length: count }, (_, i) => ({ ...parser.videoTrack(i) }));
}

function audioTracks(parser: TagParser, body: Uint8Array): AudioPacket[] {
  const count = parser.parseAudio(SliceList.of(body), 100);
  return Array.from({ length: count }, (_, i) => ({ ...parser.audioTrack(i) }));
}

const video = (...bodies: readonly Uint8Array[]): VideoPacket => {
  const parser = new TagParser();
  return bodies.map((body) => videoTracks(parser, body)[0] as VideoPacket).at(-1) as VideoPacket;
};
const audio = (body: Uint8Array): AudioPacket => audioTracks(new TagParser(), body)[0] as AudioPacket;

const START = enhancedVideo('avc1', 'sequenceStart', buildAvcc(), { key: true });
const IDR = lengthPrefixed([slice({ idr: true })]);
const DATA = hex('aabbcc');

describe('enhanced video', () => {
  test('measures avc1 as in the legacy form', () => {
    expect(video(START)).toMatchObject({
      type: 'config',
      codec: 'avc1',
      config: { sps: [{ width: 1280 }] },
      fault: undefined,
    });
    expect(video(START, enhancedVideo('avc1', 'codedFrames', IDR, { key: true, cts: -20 }))).toMatchObject({
      type: 'coded',
      codec: 'avc1',
      flvKeyFrame: true,
      idr: true,
      compositionTimeMs: -20,
      payloadBytes: IDR.length,
      multitrack: false,
      trackId: 0,
    });
    expect(video(START, enhancedVideo('avc1', 'codedFramesX', IDR, { key: true }))).toMatchObject({
      idr: true,
      compositionTimeMs: 0,
      payloadBytes: IDR.length,
    });
  });

  test.each(['hvc1', 'vvc1', 'av01', 'vp08', 'vp09'])('names and counts %s', (fourCc) => {
    expect(video(enhancedVideo(fourCc, 'sequenceStart', DATA))).toMatchObject({
      type: 'config',
      codec: fourCc,
      config: undefined,
      fault: undefined,
    });
    expect(video(enhancedVideo(fourCc, 'codedFrames', DATA, { key: true, cts: 7 }))).toMatchObject({
      type: 'coded',
      codec: fourCc,
      payloadBytes: 3,
      flvKeyFrame: true,
      compositionTimeMs: ['hvc1', 'vvc1'].includes(fourCc) ? 7 : 0,
    });
    expect(video(enhancedVideo(fourCc, 'codedFramesX', DATA))).toMatchObject({ type: 'coded', payloadBytes: 3 });
  });

  test('reads sequence end, metadata and MPEG-2 TS start', () => {
    expect(video(enhancedVideo('avc1', 'sequenceEnd')).type).toBe('endOfSequence');
    expect(video(enhancedVideo('hvc1', 'metadata', DATA, { frameType: 5 }))).toMatchObject({
      type: 'other',
      codec: 'hvc1',
      payloadBytes: 0,
      fault: undefined,
    });
    expect(video(enhancedVideo('av01', 'mpeg2tsSequenceStart', DATA))).toMatchObject({ type: 'config', codec: 'av01' });
  });

  test('adds ModEx nanoseconds to the composition time', () => {
    const body = enhancedVideo('avc1', 'codedFrames', IDR, { key: true, cts: 33, modEx: [nanosecondOffset(333_333)] });
    expect(video(START, body)).toMatchObject({ idr: true, payloadBytes: IDR.length, compositionTimeMs: 33.333333 });
    const plain = enhancedVideo('avc1', 'codedFrames', IDR, { key: true, cts: 33 });
    expect(video(START, body, plain).compositionTimeMs).toBe(33);
  });

  test('skips other, long and repeated ModEx types', () => {
    const modEx = [
      { type: 9, data: new Uint8Array(256) },
      { type: 3, data: new Uint8Array(300) },
      nanosecondOffset(500_000),
    ];
    expect(video(START, enhancedVideo('avc1', 'codedFramesX', IDR, { modEx }))).toMatchObject({
      idr: true,
      compositionTimeMs: 0.5,
      fault: undefined,
    });
    const short = [{ type: 0, data: hex('0102') }];
    expect(video(START, enhancedVideo('avc1', 'codedFramesX', IDR, { modEx: short }))).toMatchObject({
      idr: true,
      compositionTimeMs: 0,
    });
  });

  test('reports truncated and too many ModEx prefixes', () => {
    const nine = Array.from({ length: 9 }, () => nanosecondOffset(1));
    expect(video(enhancedVideo('avc1', 'codedFrames', IDR, { modEx: nine }))).toMatchObject({
      type: 'other',
      fault: 'MOD_EX_TOO_MANY',
    });
    expect(video(hex('97 ff ff')).type).toBe('empty');
    expect(video(hex('97 ff ffff aabb'))).toMatchObject({ type: 'other', fault: 'MOD_EX_TRUNCATED' });
    expect(video(hex('97 00 aa 01 6176'))).toMatchObject({ type: 'other', fault: 'FOURCC_TRUNCATED' });
  });

  test('takes the four bytes after an invalid enhanced header as the codec', () => {
    const packet = video(hex('8f deadbeef 00112233'));
    expect(packet).toMatchObject({ type: 'coded', codec: 'unknown:deadbeef', fault: 'VIDEO_PACKET_TYPE' });
    expect(video(hex('91 00000001 00112233'))).toMatchObject({
      type: 'coded',
      codec: 'unknown:00000001',
      payloadBytes: 4,
    });
  });

  test('reports a reserved packet type of a known codec as a fault, not as a frame', () => {
    expect(video(hex('9a 61766331 00'))).toMatchObject({ type: 'other', codec: 'avc1', fault: 'VIDEO_PACKET_TYPE' });
  });
});

describe('multitrack', () => {
  const small = buildAvcc({ sps: [buildSps({ width: 640, height: 360 })] });

  test('reads kind 0, one track with an ID, as OBS sends renditions', () => {
    const parser = new TagParser();
    const start = (trackId: number, body: Uint8Array) =>
      enhancedVideo('avc1', 'sequenceStart', body, { key: true, multitrack: { kind: 0, tracks: [{ trackId, body }] } });
    const [first] = videoTracks(parser, START);
    const [second] = videoTracks(parser, start(1, small));
    expect(first).toMatchObject({ trackId: 0, multitrack: false, config: { sps: [{ width: 1280 }] } });
    expect(second).toMatchObject({
      trackId: 1,
      multitrack: true,
      config: { sps: [{ width: 640 }] },
      activeSps: { width: 640 },
    });
    // Track 0 keeps its own parameter sets.
    expect(videoTracks(parser, enhancedVideo('avc1', 'codedFramesX', IDR, { key: true }))[0]).toMatchObject({
      activeSps: { width: 1280 },
    });
    const frame = enhancedVideo('avc1', 'codedFrames', undefined, {
      key: true,
      multitrack: { kind: 0, tracks: [{ trackId: 1, body: withCompositionTime(5, IDR) }] },
    });
    expect(videoTracks(parser, frame)).toMatchObject([
      { trackId: 1, idr: true, compositionTimeMs: 5, payloadBytes: IDR.length, activeSps: { width: 640 } },
    ]);
  });

  test('reads kind 1, several tracks of one codec', () => {
    const body = enhancedVideo('avc1', 'sequenceStart', undefined, {
      key: true,
      multitrack: {
        kind: 1,
        tracks: [
          { trackId: 0, body: buildAvcc() },
          { trackId: 7, body: small },
        ],
      },
    });
    expect(videoTracks(new TagParser(), body)).toMatchObject([
      { trackId: 0, multitrack: true, config: { sps: [{ width: 1280 }] }, fault: undefined },
      { trackId: 7, multitrack: true, config: { sps: [{ width: 640 }] }, fault: undefined },
    ]);
  });

  test('reads kind 2, a codec per track', () => {
    const tracks = [
      { trackId: 0, fourCc: 'av01', body: DATA },
      { trackId: 1, fourCc: 'hvc1', body: withCompositionTime(9, DATA) },
    ];
    const body = enhancedVideo('', 'codedFrames', undefined, { key: true, multitrack: { kind: 2, tracks } });
    expect(videoTracks(new TagParser(), body)).toMatchObject([
      { trackId: 0, codec: 'av01', payloadBytes: 3, flvKeyFrame: true },
      { trackId: 1, codec: 'hvc1', payloadBytes: 3, compositionTimeMs: 9 },
    ]);
  });

  test('reads multitrack after ModEx', () => {
    const body = enhancedVideo('vp09', 'codedFrames', undefined, {
      modEx: [nanosecondOffset(1_000)],
      multitrack: { kind: 1, tracks: [{ trackId: 2, body: DATA }] },
    });
    expect(videoTracks(new TagParser(), body)).toMatchObject([{ trackId: 2, codec: 'vp09', compositionTimeMs: 0.001 }]);
  });

  test.each([
    ['a kind that is reserved', '96 31 61766331 00', 'MULTITRACK_KIND'],
    ['multitrack in multitrack', '96 16 61766331 00', 'MULTITRACK_NESTED'],
    ['no FourCC', '96 11 617663', 'FOURCC_TRUNCATED'],
    ['no FourCC of a track', '96 21 6176 00', 'MULTITRACK_TRUNCATED'],
    ['no size', '96 11 61766331 00 0000', 'MULTITRACK_TRUNCATED'],
  ])('%s', (_name, bytes, fault) => {
    expect(videoTracks(new TagParser(), hex(bytes))).toMatchObject([{ type: 'other', fault }]);
  });

  test('clips a track that is longer than the message', () => {
    expect(videoTracks(new TagParser(), hex('96 11 76703039 03 0000ff aabb'))).toMatchObject([
      { type: 'coded', codec: 'vp09', trackId: 3, payloadBytes: 2, fault: 'MULTITRACK_BEYOND_MESSAGE' },
    ]);
  });

  test('drops tracks beyond the cap with a fault', () => {
    const tracks = Array.from({ length: 40 }, (_, trackId) => ({ trackId, body: DATA }));
    const packets = videoTracks(
      new TagParser(),
      enhancedVideo('vp09', 'codedFrames', undefined, { multitrack: { kind: 1, tracks } }),
    );
    expect(packets).toHaveLength(16);
    expect(packets.at(-1)).toMatchObject({ trackId: 15, fault: 'MULTITRACK_TOO_MANY' });
  });

  test('parses track IDs beyond the cap without kept state', () => {
    const parser = new TagParser();
    const one = (trackId: number, body: Uint8Array) => ({
      key: true,
      multitrack: { kind: 0, tracks: [{ trackId, body }] },
    });
    const tracks = [1, 2, 16, 17, 255];
    for (let trackId = 1; trackId <= 255; trackId++) {
      const body = enhancedVideo('avc1', 'sequenceStart', undefined, one(trackId, small));
      expect(videoTracks(parser, body)).toMatchObject([{ trackId, config: { sps: [{ width: 640 }] } }]);
    }
    const faults = tracks.map((trackId) => {
      const [packet] = videoTracks(parser, enhancedVideo('avc1', 'codedFramesX', undefined, one(trackId, IDR)));
      return packet?.fault;
    });
    expect(faults).toEqual([undefined, undefined, undefined, 'AVC_CONFIG_MISSING', 'AVC_CONFIG_MISSING']);
  });

  test('reads kinds 0 and 1 for audio', () => {
    const parser = new TagParser();
    const many = {
      kind: 1,
      tracks: [
        { trackId: 0, body: buildAsc() },
        { trackId: 1, body: buildAsc({ sampleRate: 44100 }) },
      ],
    };
    expect(audioTracks(parser, enhancedAudio('mp4a', 'sequenceStart', undefined, { multitrack: many }))).toMatchObject([
      { trackId: 0, multitrack: true, config: { sampleRate: 48000 } },
      { trackId: 1, multitrack: true, config: { sampleRate: 44100 } },
    ]);
    const one = { kind: 0, tracks: [{ trackId: 1, body: DATA }] };
    expect(audioTracks(parser, enhancedAudio('mp4a', 'codedFrames', undefined, { multitrack: one }))).toMatchObject([
      { type: 'coded', trackId: 1, payloadBytes: 3 },
    ]);
  });
});

describe('enhanced audio', () => {
  test('measures mp4a as in the legacy form', () => {
    expect(audio(enhancedAudio('mp4a', 'sequenceStart', buildAsc()))).toMatchObject({
      type: 'config',
      codec: 'mp4a',
      config: { sampleRate: 48000, channels: 2 },
    });
    expect(audio(enhancedAudio('mp4a', 'codedFrames', DATA))).toMatchObject({ type: 'coded', payloadBytes: 3 });
    expect(audio(enhancedAudio('mp4a', 'sequenceStart'))).toMatchObject({ type: 'empty', fault: undefined });
  });

  test.each(['.mp3', 'Opus', 'fLaC', 'ac-3', 'ec-3'])('names and counts %s', (fourCc) => {
    expect(audio(enhancedAudio(fourCc, 'sequenceStart', DATA))).toMatchObject({
      type: 'config',
      codec: fourCc,
      config: undefined,
    });
    expect(audio(enhancedAudio(fourCc, 'codedFrames', DATA))).toMatchObject({
      type: 'coded',
      codec: fourCc,
      payloadBytes: 3,
    });
  });

  test('reads sequence end, multichannel configuration, ModEx, reserved types and garbage', () => {
    expect(audio(enhancedAudio('mp4a', 'sequenceEnd')).type).toBe('endOfSequence');
    expect(audio(enhancedAudio('Opus', 'multichannelConfig', DATA))).toMatchObject({ type: 'other', fault: undefined });
    expect(audio(enhancedAudio('mp4a', 'codedFrames', DATA, { modEx: [nanosecondOffset(7)] }))).toMatchObject({
      type: 'coded',
      payloadBytes: 3,
    });
    expect(audio(hex('93 6d703461 00'))).toMatchObject({ type: 'other', fault: 'AUDIO_PACKET_TYPE' });
    expect(audio(hex('9c cafebabe 00'))).toMatchObject({
      type: 'coded',
      codec: 'unknown:cafebabe',
      fault: 'AUDIO_PACKET_TYPE',
    });
    expect(audio(hex('91')).type).toBe('empty');
    expect(audio(concat(hex('97 00 aa'), hex('01')))).toMatchObject({ type: 'empty' });
  });
});

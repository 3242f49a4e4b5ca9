import { SliceList } from '../../../../src/bytes/slices.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';
import type { VideoPacket } from '../../../../src/media/packet.js';
import { concat, hex } from '../../../support/bit-writer.js';
import { avcEndOfSequence, avcFrame, avcSequenceHeader, videoCommandFrame } from '../../../support/flv-writer.js';
import {
  accessUnitDelimiter,
  buildAvcc,
  buildPps,
  buildSps,
  filler,
  lengthPrefixed,
  seiRecoveryPoint,
  seiX264,
  slice,
} from '../../../support/h264-writer.js';
import { pieces } from '../../../support/pieces.js';

/** Parses bodies in order on one connection and returns a copy of the last packet. */
function parse(...bodies: readonly Uint8Array[]): VideoPacket {
  return parseWith(new TagParser(), ...bodies);
}

function parseWith(parser: TagParser, ...bodies: readonly Uint8Array[]): VideoPacket {
  bodies.forEach((body, i) => {
    expect(parser.parseVideo(SliceList.of(body), i * 33)).toBe(1);
  });
  return { ...parser.video };
}

/** More inter frames than the parser reads completely. */
const WARM_UP = Array.from({ length: 10 }, () => avcFrame(lengthPrefixed([slice()])));
const HEADER = avcSequenceHeader(buildAvcc());
const bit = (...types: readonly number[]): number => types.reduce((mask, type) => mask | (1 << type), 0);

describe('AVC in its legacy form', () => {
  test('reads a sequence header', () => {
    expect(parse(HEADER)).toMatchObject({
      type: 'config',
      codec: 'avc1',
      payloadBytes: 0,
      trackId: 0,
      multitrack: false,
      config: { nalLengthSize: 4, sps: [{ width: 1280, height: 720 }] },
      activeSps: { width: 1280 },
      fault: undefined,
    });
  });

  test.each([
    ['a picture timing SEI', '06 01 02 04 00 80'],
    ['another SEI', '06 05 02 04 00 80'],
    ['two messages in one SEI', '06 01 01 04 06 01 80 80'],
    ['an emulation prevention byte in it', '06 01 04 00 00 03 01 00 80'],
  ])('reads a frame with %s alike in one piece and byte by byte', (_name, sei) => {
    const frame = avcFrame(lengthPrefixed([hex(sei), slice({ size: 120 })]), { cts: 33 });
    const readers = [true, false].map(
      (analysis) => [new TagParser({ analysis }), new TagParser({ analysis })] as const,
    );
    for (const [whole, cut] of readers) {
      for (const parser of [whole, cut]) parseWith(parser, HEADER, ...WARM_UP);
      cut.parseVideo(pieces(frame, 1), 33);
      const packet = parseWith(whole, frame);
      expect(packet.nalTypes).toBe(bit(1, 6));
      expect({ ...packet, timestampMs: 33 }).toEqual({ ...cut.video });
    }
  });

  test('reads an IDR frame', () => {
    const nals = lengthPrefixed([accessUnitDelimiter(), slice({ idr: true, size: 500 }), filler(50)]);
    expect(parse(HEADER, avcFrame(nals, { key: true, cts: 66 }))).toMatchObject({
      type: 'coded',
      codec: 'avc1',
      timestampMs: 33,
      compositionTimeMs: 66,
      payloadBytes: nals.length,
      flvKeyFrame: true,
      idr: true,
      recoveryPoint: false,
      nalTypes: bit(9, 5, 12),
      fieldCoded: false,
      fault: undefined,
    });
  });

  test('reads an inter frame up to its first slice', () => {
    const frame = avcFrame(lengthPrefixed([accessUnitDelimiter(), slice({ size: 400 }), filler(9)]));
    expect(parse(HEADER, ...WARM_UP, frame)).toMatchObject({
      type: 'coded',
      flvKeyFrame: false,
      idr: false,
      nalTypes: bit(9, 1),
    });
  });

  test('reads composition times as signed', () => {
    for (const cts of [-1, -8_388_608, 8_388_607, 0]) {
      expect(parse(HEADER, avcFrame(lengthPrefixed([slice()]), { cts })).compositionTimeMs).toBe(cts);
    }
  });

  test.each([1, 2, 4])('reads length fields of %d bytes', (nalLengthSize) => {
    const nals = lengthPrefixed(
      [slice({ idr: true, size: 100 }), slice({ idr: true, size: 90, firstMb: 40 })],
      nalLengthSize,
    );
    const packet = parse(avcSequenceHeader(buildAvcc({ nalLengthSize })), avcFrame(nals, { key: true }));
    expect(packet).toMatchObject({ idr: true, nalTypes: bit(5), fault: undefined });
  });

  test('reports the FLV flag and the NAL unit type separately', () => {
    const open = lengthPrefixed([seiRecoveryPoint(0), slice({ sliceType: 'I' })]);
    expect(parse(HEADER, avcFrame(open, { key: true }))).toMatchObject({
      flvKeyFrame: true,
      idr: false,
      recoveryPoint: true,
    });
    const refresh = lengthPrefixed([seiRecoveryPoint(29), slice()]);
    expect(parse(HEADER, avcFrame(refresh, { key: true }))).toMatchObject({ idr: false, recoveryPoint: false });
    const plainI = lengthPrefixed([slice({ sliceType: 'I' })]);
    expect(parse(HEADER, avcFrame(plainI, { key: true }))).toMatchObject({
      flvKeyFrame: true,
      idr: false,
      recoveryPoint: false,
    });
    const unflagged = lengthPrefixed([accessUnitDelimiter(), seiX264(), slice({ idr: true, size: 90 })]);
    expect(parse(HEADER, ...WARM_UP, avcFrame(unflagged))).toMatchObject({ flvKeyFrame: false, idr: true });
    const both = lengthPrefixed([seiRecoveryPoint(0), slice({ idr: true })]);
    expect(parse(HEADER, avcFrame(both, { key: true }))).toMatchObject({ idr: true, recoveryPoint: false });
  });

  test('reads generated key frames and disposable frames', () => {
    const nals = lengthPrefixed([slice({ idr: true })]);
    expect(parse(HEADER, avcFrame(nals, { frameType: 4 }))).toMatchObject({ flvKeyFrame: true, fault: undefined });
    expect(parse(HEADER, avcFrame(nals, { frameType: 3 }))).toMatchObject({ flvKeyFrame: false, fault: undefined });
    expect(parse(HEADER, avcFrame(nals, { frameType: 0 }))).toMatchObject({
      flvKeyFrame: false,
      fault: 'VIDEO_FRAME_TYPE',
    });
  });

  test("reports x264's text with the first key frame only", () => {
    const parser = new TagParser();
    const key = avcFrame(lengthPrefixed([seiX264('x264 - core 164'), slice({ idr: true })]), { key: true });
    expect(parseWith(parser, HEADER, key).encoderSei).toBe('x264 - core 164');
    expect(parseWith(parser, key).encoderSei).toBeUndefined();
  });

  test('reads a frame alike when split at every offset', () => {
    const nals = [
      accessUnitDelimiter(),
      buildSps({ width: 640, height: 360 }),
      buildPps(),
      seiRecoveryPoint(0),
      slice({ idr: true }),
    ];
    const body = avcFrame(lengthPrefixed(nals), { key: true, cts: -40 });
    const whole = parse(HEADER, body);
    expect(whole).toMatchObject({ idr: true, inBandSps: { width: 640 }, compositionTimeMs: -40 });
    for (let size = 1; size <= body.length; size++) {
      const parser = new TagParser();
      parser.parseVideo(SliceList.of(HEADER), 0);
      parser.parseVideo(pieces(body, size), 33);
      expect({ ...parser.video }).toEqual(whole);
    }
  });
});

describe('parameter sets', () => {
  test('returns the same objects for an identical sequence header', () => {
    const parser = new TagParser();
    const first = parseWith(parser, HEADER);
    const again = parseWith(parser, avcSequenceHeader(buildAvcc()));
    expect(again.config).toBe(first.config);
    expect(again.activeSps).toBe(first.activeSps);
    expect(parseWith(parser, avcSequenceHeader(buildAvcc({ sps: [buildSps({ width: 640 })] }))).config).not.toBe(
      first.config,
    );
  });

  test('reads an SPS that is only in a key frame, as the same object while its bytes are unchanged', () => {
    const parser = new TagParser();
    const key = avcFrame(lengthPrefixed([buildSps({ width: 640, height: 360 }), buildPps(), slice({ idr: true })]), {
      key: true,
    });
    const packet = parseWith(parser, HEADER, key);
    expect(packet).toMatchObject({ inBandSps: { width: 640 }, activeSps: { width: 640 }, nalTypes: bit(7, 8, 5) });
    expect(parseWith(parser, key).inBandSps).toBe(packet.inBandSps);
    expect(parseWith(parser, avcFrame(lengthPrefixed([slice()]))).activeSps).toBe(packet.activeSps);
    expect(parseWith(parser, HEADER).activeSps).toMatchObject({ width: 1280 });
  });

  test('activates the one of several SPS that the slice uses', () => {
    const sps = [buildSps({ spsId: 0, width: 320, height: 240 }), buildSps({ spsId: 3, width: 640, height: 360 })];
    const pps = [buildPps({ ppsId: 0, spsId: 0 }), buildPps({ ppsId: 1, spsId: 3 })];
    const header = avcSequenceHeader(buildAvcc({ sps, pps }));
    const key = (ppsId: number, ...inBand: readonly Uint8Array[]): Uint8Array =>
      avcFrame(lengthPrefixed([...inBand, slice({ idr: true, ppsId })]), { key: true });
    expect(parse(header).activeSps).toMatchObject({ spsId: 0 });
    expect(parse(header, key(0)).activeSps).toMatchObject({ spsId: 0 });
    expect(parse(header, key(1)).activeSps).toMatchObject({ spsId: 3, width: 640 });
    expect(parse(HEADER, key(1, ...sps, ...pps)).inBandSps).toMatchObject({ spsId: 3 });
  });

  test('distinguishes alternating SPS of equal length, however the frame is split', () => {
    const parser = new TagParser();
    parser.parseVideo(SliceList.of(HEADER), 0);
    const widths = [1280, 1296, 1312, 1328, 1344, 1360].map((width) => ({ width, sps: buildSps({ width }) }));
    expect(new Set(widths.map(({ sps }) => sps.length)).size).toBe(1);
    for (let step = 1; step < 12; step++) {
      for (const { width, sps } of widths) {
        const body = avcFrame(lengthPrefixed([sps, buildPps(), slice({ idr: true })]), { key: true });
        parser.parseVideo(pieces(body, step), 0);
        expect(parser.video).toMatchObject({ inBandSps: { width }, activeSps: { width }, fault: undefined });
      }
    }
  });

  test('drops the old PPS with a new sequence header and reads its first frames completely', () => {
    const sps = [buildSps({ spsId: 0 }), buildSps({ spsId: 3, width: 640 })];
    const older = avcSequenceHeader(buildAvcc({ sps, pps: [buildPps({ ppsId: 1, spsId: 3 })] }));
    const newer = avcSequenceHeader(buildAvcc({ sps, pps: [buildPps({ ppsId: 0, spsId: 0 })] }));
    const frame = avcFrame(lengthPrefixed([slice({ ppsId: 1 }), filler(9)]));
    expect(parse(older, frame).activeSps).toMatchObject({ spsId: 3 });
    const packet = parse(older, ...WARM_UP, newer, frame);
    expect(packet).toMatchObject({ activeSps: { spsId: 0 }, nalTypes: bit(1, 12) });
  });

  test('takes the SPS from the first key frame if the sequence header has none', () => {
    const header = avcSequenceHeader(buildAvcc({ sps: [], pps: [], profileIdc: 77 }));
    const key = avcFrame(lengthPrefixed([buildSps(), buildPps(), slice({ idr: true })]), { key: true });
    expect(parse(header)).toMatchObject({
      type: 'config',
      config: { sps: [] },
      activeSps: undefined,
      fault: undefined,
    });
    expect(parse(header, key)).toMatchObject({
      inBandSps: { width: 1280 },
      activeSps: { width: 1280 },
      fault: undefined,
    });
  });

  test('detects field coding by the slice, not by frame_mbs_only_flag', () => {
    const header = avcSequenceHeader(
      buildAvcc({ sps: [buildSps({ frameMbsOnly: false, height: 1080, width: 1920 })] }),
    );
    const frame = (fieldPic: boolean, idr: boolean) =>
      avcFrame(lengthPrefixed([slice({ idr, fieldPic })]), { key: idr });
    expect(parse(header, frame(true, true)).fieldCoded).toBe(true);
    expect(parse(header, frame(false, true)).fieldCoded).toBe(false);
    expect(parse(header, ...WARM_UP, frame(true, false)).fieldCoded).toBe(true);
  });

  test('reports a code for a parse error and continues the stream', () => {
    expect(parse(avcSequenceHeader(buildAvcc({ sps: [buildSps({ spsId: 40 })] })))).toMatchObject({
      type: 'config',
      config: { sps: [] },
      fault: 'SPS_ID',
    });
    expect(parse(avcSequenceHeader(hex('02')))).toMatchObject({
      type: 'config',
      config: undefined,
      fault: 'AVCC_TOO_SHORT',
    });
    expect(parse(avcSequenceHeader(new Uint8Array(20_000).fill(1)))).toMatchObject({ fault: 'AVCC_TOO_LONG' });
    const broken = lengthPrefixed([buildSps({ bitDepthLuma: 30 }), slice({ idr: true })]);
    expect(parse(HEADER, avcFrame(broken, { key: true }))).toMatchObject({
      idr: true,
      inBandSps: undefined,
      fault: 'SPS_BIT_DEPTH',
    });
    const huge = lengthPrefixed([concat(hex('67'), new Uint8Array(4000)), slice({ idr: true })]);
    expect(parse(HEADER, avcFrame(huge, { key: true }))).toMatchObject({ idr: true, fault: 'SPS_TOO_LONG' });
    const badPps = lengthPrefixed([hex('68 0000'), slice({ idr: true })]);
    expect(parse(HEADER, avcFrame(badPps, { key: true }))).toMatchObject({ idr: true, fault: 'WIRE_TRUNCATED' });
  });
});

describe('bodies without media', () => {
  test.each([
    ['a message of no bytes', ''],
    ['one byte', '17'],
    ['a coded frame of no NAL units', '2701000000'],
    ['a sequence header of no bytes', '1700000000'],
    ['a cut frame header', '270100'],
    ['an enhanced header without its FourCC', '9161'],
    ['an enhanced frame of no bytes', '91 61766331 000000'],
  ])('reads %s as empty, not as a fault', (_name, bytes) => {
    expect(parse(HEADER, hex(bytes))).toMatchObject({
      type: 'empty',
      codec: 'avc1',
      payloadBytes: 0,
      fault: undefined,
    });
  });

  test('reads the end of a sequence in five bytes and in two', () => {
    expect(parse(avcEndOfSequence())).toMatchObject({ type: 'endOfSequence', codec: 'avc1', fault: undefined });
    expect(parse(hex('1702'))).toMatchObject({ type: 'endOfSequence' });
  });

  test('reads an info/command frame, legacy and enhanced', () => {
    expect(parse(videoCommandFrame())).toMatchObject({ type: 'other', payloadBytes: 0, fault: undefined });
    expect(parse(videoCommandFrame(1, 2))).toMatchObject({ type: 'other', fault: undefined });
    expect(parse(HEADER, hex('d1 00'))).toMatchObject({ type: 'other', codec: 'avc1', fault: undefined });
  });

  test('counts an empty message for the previous codec', () => {
    expect(parse(HEADER, new Uint8Array(0)).codec).toBe('avc1');
    expect(parse(new Uint8Array(0)).codec).toBe('');
  });
});

describe('broken frames', () => {
  const frame = (bytes: string): VideoPacket => parse(HEADER, ...WARM_UP, avcFrame(hex(bytes), { key: true }));

  test.each([
    ['NAL_TRUNCATED_LENGTH', '000000'],
    ['NAL_BEYOND_MESSAGE', '00000100 6588'],
    ['NAL_BEYOND_MESSAGE', 'ffffffff 6588'],
    ['NAL_ZERO_LENGTH', '00000000 00000004 65888040'],
    ['NAL_ANNEX_B', '00000001 67640028 00000001 6588'],
    ['WIRE_TRUNCATED', '00000001 65'],
  ])('reports %s', (fault, bytes) => {
    expect(frame(bytes)).toMatchObject({ type: 'coded', fault, flvKeyFrame: true });
  });

  test('detects a broken inter frame by its first NAL unit', () => {
    const body = avcFrame(hex('00100000 41'));
    expect(parse(HEADER, ...WARM_UP, body)).toMatchObject({ fault: 'NAL_BEYOND_MESSAGE', nalTypes: bit(1) });
  });

  test('stops parsing a frame of eight megabytes of empty NAL units', () => {
    const body = avcFrame(new Uint8Array(8_000_000), { key: true });
    expect(parse(HEADER, body).fault).toBe('NAL_ZERO_LENGTH');
  });

  test('reports a frame before the first sequence header', () => {
    const packet = parse(avcFrame(lengthPrefixed([slice({ idr: true })]), { key: true }));
    expect(packet).toMatchObject({ type: 'coded', idr: true, fault: 'AVC_CONFIG_MISSING' });
  });

  test('an unknown AVC packet type', () => {
    expect(parse(hex('1703000000 aabb'))).toMatchObject({ type: 'other', codec: 'avc1', fault: 'VIDEO_PACKET_TYPE' });
  });
});

/** The hvcC of ffmpeg 5.1 with libx265, 64x64. */

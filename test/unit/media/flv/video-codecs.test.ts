import { SliceList } from '../../../../src/bytes/slices.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';
import type { VideoPacket } from '../../../../src/media/packet.js';
import { hex } from '../../../support/bit-writer.js';
import { avcFrame, avcSequenceHeader, legacyVideo } from '../../../support/flv-writer.js';
import { buildAvcc, lengthPrefixed } from '../../../support/h264-writer.js';

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

const HEADER = avcSequenceHeader(buildAvcc());

const HVCC = hex(
  '0101600000009000000000001ef000fcfdf8f800000f03a00001001840010c01ffff01600000030090000003000003001e959809' +
    'a10001002942010101600000030090000003000003001ea020810596566924caf016808000000300800000030284a200010007' +
    '4401c172b42240',
);

describe('HEVC under codec IDs of other codecs', () => {
  test('is recognized by its configuration under codec ID 7', () => {
    expect(parse(avcSequenceHeader(HVCC))).toMatchObject({
      type: 'config',
      codec: 'hvc1',
      config: undefined,
      fault: undefined,
    });
  });

  test('is recognized in the frames after it', () => {
    const frame = avcFrame(lengthPrefixed([hex('2601 aabbccdd')]), { key: true, cts: 40 });
    expect(parse(avcSequenceHeader(HVCC), frame)).toMatchObject({
      type: 'coded',
      codec: 'hvc1',
      compositionTimeMs: 40,
      payloadBytes: 10,
      fault: undefined,
    });
  });

  test('is recognized with reserved bits of 0, and version 0 of old drafts', () => {
    const sloppy = HVCC.slice();
    for (const at of [13, 15, 16, 17, 18]) sloppy[at] = (sloppy[at] as number) & 3;
    expect(parse(avcSequenceHeader(sloppy)).codec).toBe('hvc1');
    sloppy[0] = 0;
    expect(parse(avcSequenceHeader(sloppy)).codec).toBe('hvc1');
  });

  test('is recognized by frames that begin with a VPS without a configuration', () => {
    const frame = avcFrame(lengthPrefixed([hex('40010c01'), hex('2601 aabb')]), { key: true });
    expect(parse(frame)).toMatchObject({ codec: 'hvc1', fault: undefined });
  });

  test('changes back to AVC with a valid AVC header', () => {
    expect(parse(avcSequenceHeader(HVCC), HEADER)).toMatchObject({ codec: 'avc1', config: { nalLengthSize: 4 } });
  });

  test('is recognized under codec ID 12', () => {
    expect(parse(avcSequenceHeader(HVCC, 12))).toMatchObject({ type: 'config', codec: 'hvc1', fault: undefined });
    expect(parse(avcFrame(hex('00000002 2601'), { codecId: 12, key: true }))).toMatchObject({
      type: 'coded',
      codec: 'hvc1',
      payloadBytes: 6,
    });
  });
});

describe("FLV's older codecs", () => {
  test.each([
    [1, 'jpeg'],
    [2, 'sorenson-h263'],
    [3, 'screen-video'],
    [4, 'vp6'],
    [5, 'vp6-alpha'],
    [6, 'screen-video-2'],
    [8, 'h263'],
    [9, 'mpeg4'],
    [13, 'av01'],
    [0, 'unknown:00000000'],
    [11, 'unknown:0000000b'],
  ])('reads codec ID %d as %s', (id, codec) => {
    expect(parse(legacyVideo(1, id, new Uint8Array(9)))).toMatchObject({
      type: 'coded',
      codec,
      payloadBytes: 9,
      flvKeyFrame: true,
      idr: false,
      fault: undefined,
    });
  });
});

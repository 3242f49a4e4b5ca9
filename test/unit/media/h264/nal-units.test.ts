import { SliceCursor } from '../../../../src/bytes/slice-cursor.js';
import { SliceList } from '../../../../src/bytes/slices.js';
import { NalWalker, unescapeRbsp } from '../../../../src/media/h264/nal-units.js';
import { SeiReader } from '../../../../src/media/h264/sei.js';
import { readSliceHeader } from '../../../../src/media/h264/slice-fields.js';
import { parseSps } from '../../../../src/media/h264/sps.js';
import { BitWriter, concat, hex } from '../../../support/bit-writer.js';
import {
  accessUnitDelimiter,
  buildPps,
  buildSps,
  filler,
  lengthPrefixed,
  nalUnit,
  seiRecoveryPoint,
  seiX264,
  slice,
} from '../../../support/h264-writer.js';
import { pieces } from '../../../support/pieces.js';

function walk(list: SliceList, lengthSize: number, from = 0, to = list.length) {
  const cursor = new SliceCursor();
  const walker = new NalWalker(cursor);
  cursor.open(list);
  walker.start(from, to, lengthSize);
  const found: [number, number, number][] = [];
  while (walker.next()) found.push([walker.type, walker.offset, walker.size]);
  return { found, fault: walker.fault };
}

const NALS = [accessUnitDelimiter(), buildSps(), buildPps(), slice({ idr: true, size: 200 }), filler(20)];
const SIZES = NALS.map((nal) => nal.length);

describe('length-prefixed NAL units', () => {
  test.each([1, 2, 4])('are found with length fields of %d bytes, however the message is split', (lengthSize) => {
    const bytes = lengthPrefixed(NALS, lengthSize);
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const { found, fault } = walk(pieces(bytes, size), lengthSize);
      expect(found.map(([type]) => type)).toEqual([9, 7, 8, 5, 12]);
      expect(found.map(([, , bytesInNal]) => bytesInNal)).toEqual(SIZES);
      expect(fault).toBeUndefined();
    }
  });

  test('are read in the given range only', () => {
    const bytes = concat(hex('1701000000'), lengthPrefixed(NALS), hex('ffff'));
    expect(walk(pieces(bytes, 9), 4, 5, bytes.length - 2)).toMatchObject({ fault: undefined, found: { length: 5 } });
  });

  test('reports a code for a truncated length, a NAL unit beyond the message and an empty one', () => {
    expect(walk(SliceList.of(hex('0000')), 4)).toEqual({ found: [], fault: 'NAL_TRUNCATED_LENGTH' });
    expect(walk(SliceList.of(hex('00000010 65aabb')), 4)).toEqual({ found: [[5, 4, 3]], fault: 'NAL_BEYOND_MESSAGE' });
    expect(walk(SliceList.of(hex('00000010')), 4)).toEqual({ found: [], fault: 'NAL_BEYOND_MESSAGE' });
    expect(walk(SliceList.of(hex('ffffffff 65')), 4)).toEqual({ found: [[5, 4, 1]], fault: 'NAL_BEYOND_MESSAGE' });
    expect(walk(SliceList.of(hex('00000000 00000002 4100')), 4)).toEqual({
      found: [[1, 8, 2]],
      fault: 'NAL_ZERO_LENGTH',
    });
  });

  test('bounds the walk over millions of empty ones', () => {
    expect(walk(SliceList.of(new Uint8Array(8_000_000)), 1)).toEqual({ found: [], fault: 'NAL_ZERO_LENGTH' });
  });
});

describe('emulation prevention', () => {
  test.each([
    ['000003', '0000'],
    ['00000300', '000000'],
    ['000003000003 01', '0000000001'],
    ['0000030303', '00000303'],
    ['010203', '010203'],
  ])('%s is %s', (escaped, plain) => {
    expect(unescapeRbsp(hex(escaped), 0)).toEqual(hex(plain));
  });

  test('is removed alike by the walker across piece borders and by the array function', () => {
    const rbsp = hex('000000 000001 000002 000003 0000 ff 00000000 80');
    const nal = nalUnit(0x67, rbsp);
    expect(unescapeRbsp(nal, 1)).toEqual(rbsp);
    const bytes = lengthPrefixed([nal]);
    for (let size = 1; size <= bytes.length; size++) {
      const cursor = new SliceCursor();
      const walker = new NalWalker(cursor);
      cursor.open(pieces(bytes, size));
      walker.start(0, bytes.length, 4);
      walker.next();
      const out = new Uint8Array(100);
      expect(out.subarray(0, walker.readRbsp(out))).toEqual(rbsp);
    }
  });
});

describe('slice headers', () => {
  const progressive = parseSps(buildSps());
  const interlaced = parseSps(buildSps({ frameMbsOnly: false, log2MaxFrameNum: 9 }));
  const planes = parseSps(
    buildSps({ profileIdc: 244, chromaFormatIdc: 3, separateColorPlane: true, frameMbsOnly: false }),
  );

  test.each(['P', 'B', 'I'] as const)('reads a %s slice', (sliceType) => {
    const header = readSliceHeader(unescapeRbsp(slice({ sliceType, firstMb: 3, ppsId: 2 }), 1), () => progressive);
    expect(header).toEqual({ firstMbInSlice: 3, sliceType, ppsId: 2, fieldPic: false });
  });

  test.each([true, false])('reads field_pic_flag %s after frame_num', (fieldPic) => {
    const nal = slice({ idr: true, fieldPic, log2MaxFrameNum: 9 });
    expect(readSliceHeader(unescapeRbsp(nal, 1), () => interlaced)).toMatchObject({ fieldPic });
  });

  test('reads colour_plane_id before frame_num', () => {
    // first_mb 0, slice_type 7, pps 0, colour_plane_id 2 bits, frame_num 4 bits, field_pic_flag 1
    const rbsp = Uint8Array.of(0b1_0001000, 0b1_10_0000_1);
    expect(readSliceHeader(rbsp, () => planes)).toMatchObject({ sliceType: 'I', fieldPic: true });
  });

  test('leaves the field flag undefined without an SPS', () => {
    expect(readSliceHeader(unescapeRbsp(slice(), 1), () => undefined)).toMatchObject({ fieldPic: undefined });
  });

  test('refuses invalid slice headers', () => {
    const read = (bytes: Uint8Array) => () => readSliceHeader(bytes, () => progressive);
    expect(read(Uint8Array.of(0b1_0001011))).toThrow(expect.objectContaining({ code: 'SLICE_TYPE' }));
    expect(read(new Uint8Array(0))).toThrow(expect.objectContaining({ code: 'WIRE_TRUNCATED' }));
    const foreignPps = new BitWriter().ue(0).ue(7).ue(256).trailing().bytes();
    expect(read(foreignPps)).toThrow(expect.objectContaining({ code: 'SLICE_PPS_ID' }));
  });
});

describe('SEI', () => {
  const read = (nal: Uint8Array): SeiReader => {
    const reader = new SeiReader();
    const rbsp = unescapeRbsp(nal, 1);
    reader.read(rbsp, rbsp.length, true);
    return reader;
  };

  test('takes a recovery point as exact with recovery_frame_cnt 0 only', () => {
    expect(read(seiRecoveryPoint(0))).toMatchObject({ exactRecoveryPoint: true });
    expect(read(seiRecoveryPoint(30))).toMatchObject({ exactRecoveryPoint: false });
  });

  test("reads x264's text with several size bytes", () => {
    const text = `x264 - core 164 r3095 baee400 - options: ${'cabac=1 '.repeat(80)}`;
    expect(read(seiX264(text)).x264Text).toBe(text.slice(0, 64));
    expect(read(seiX264('x264 - core 164')).x264Text).toBe('x264 - core 164');
  });

  test('reads several messages in one unit, and stops at a truncated one', () => {
    const recovery = seiRecoveryPoint(0).subarray(1, -1);
    expect(read(concat(hex('06 0402aabb'), recovery, hex('80'))).exactRecoveryPoint).toBe(true);
    expect(read(hex('06 04ff10aa'))).toMatchObject({ exactRecoveryPoint: false, x264Text: undefined });
    expect(read(hex('06 ffffffffff'))).toMatchObject({ exactRecoveryPoint: false });
  });

  test('ignores user data of other encoders', () => {
    expect(read(concat(hex('06 0518'), new Uint8Array(24).fill(0x41), hex('80'))).x264Text).toBeUndefined();
  });
});

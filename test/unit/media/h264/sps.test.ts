import { WireError } from '../../../../src/bytes/wire-error.js';
import { parseSps } from '../../../../src/media/h264/sps.js';
import { hex } from '../../../support/bit-writer.js';
import { buildSps, nalUnit, type SpsFields } from '../../../support/h264-writer.js';

/** Parameter sets that other people's encoders made; expected values as ffprobe or the named source reads them. */
const REAL: readonly { from: string; sps: string; expected: object }[] = [
  {
    from: 'ffmpeg 5.1 with x264 on 4:4:4 interlaced input',
    sps: '67f40015919b282866c044000003000400000300c87c50a658',
    expected: { profile: 'High 4:4:4 Predictive', chromaFormatIdc: 3, mbaff: true, width: 320, height: 192 },
  },
  {
    from: 'NVENC with CBR HRD (bluenviron/mediacommon sps_test)',
    sps: '6764002aac2cac0780227e5c05a808080a000007d00003a981c000004c4b00002625adde5c14',
    expected: {
      level: '4.2',
      width: 1920,
      height: 1080,
      vui: {
        timing: { framesPerSecond: 60, fixedFrameRate: true },
        nalHrd: [{ bitrateBps: 39062 * 64, cpbSizeBits: 156250 * 16, cbr: true }],
        picStructPresent: true,
        bitstreamRestriction: undefined,
      },
    },
  },
  {
    from: 'Hikvision camera with both HRDs (bluenviron/mediacommon sps_test)',
    sps: '674d00299a6403c0113f2e02dc0404050000030 3e80000c350e86000bab40002eac4bbcb8d0c00175680005d58977970a0',
    expected: {
      level: '4.1',
      width: 1920,
      height: 1080,
      vui: {
        timing: { framesPerSecond: 25 },
        nalHrd: [{ bitrateBps: 11949 * 1024, cpbSizeBits: 95586 * 128, cbr: false }],
        vclHrd: [{ bitrateBps: 11949 * 1024, cpbSizeBits: 95586 * 128, cbr: false }],
      },
    },
  },
  {
    from: 'camera with six flat scaling lists, 1440p (bluenviron/mediacommon sps_test)',
    sps: '67640032ad84010c200861004308021840 10c200843b5014005ad3701010140000030004000003 00a210',
    expected: {
      scalingMatrixPresent: true,
      width: 2560,
      height: 1440,
      level: '5',
      vui: { timing: { framesPerSecond: 20 } },
    },
  },
  {
    from: 'interlaced without MBAFF and with the stop bit missing (bluenviron/mediacommon sps_test)',
    sps: '67640029ac133140780447de03ea020203e00000030020 0000 0652',
    expected: {
      frameMbsOnly: false,
      mbaff: false,
      width: 1920,
      height: 1080,
      vui: { timing: { framesPerSecond: 25 } },
    },
  },
];

describe('SPS of real encoders', () => {
  test.each(REAL)('$from', ({ sps, expected }) => {
    expect(parseSps(hex(sps.length % 2 ? `${sps}0` : sps))).toMatchObject(expected);
  });
});

describe('SPS fields', () => {
  test.each<[string, SpsFields, object]>([
    ['a plain 720p', {}, { width: 1280, height: 720, codedWidth: 1280, codedHeight: 720, vui: undefined }],
    ['854x480 needs cropping', { width: 854, height: 480 }, { width: 854, codedWidth: 864, cropping: { right: 10 } }],
    ['cropping on four sides', { width: 352, height: 288, cropping: [2, 4, 6, 8] }, { width: 346, height: 274 }],
    [
      '4:2:2 crops single lines',
      { profileIdc: 122, chromaFormatIdc: 2, width: 64, height: 64, cropping: [2, 0, 1, 0] },
      { width: 62, height: 63, chromaFormatIdc: 2 },
    ],
    [
      '4:4:4 crops single samples',
      { profileIdc: 244, chromaFormatIdc: 3, width: 64, height: 64, cropping: [1, 2, 3, 4] },
      { width: 61, height: 57, chromaFormatIdc: 3 },
    ],
    [
      'separate color planes crop as monochrome',
      { profileIdc: 244, chromaFormatIdc: 3, separateColorPlane: true, width: 64, height: 64, cropping: [1, 0, 1, 0] },
      { width: 63, height: 63, separateColorPlane: true },
    ],
    [
      'monochrome',
      { profileIdc: 100, chromaFormatIdc: 0, width: 64, height: 64, cropping: [0, 1, 0, 0] },
      { width: 63, chromaFormatIdc: 0 },
    ],
    [
      'field coding doubles map units and crop units',
      { frameMbsOnly: false, mbaff: true, width: 1920, height: 1080 },
      { codedHeight: 1088, height: 1080, mbaff: true, frameHeightInMbs: 68 },
    ],
    ['bit depths', { profileIdc: 110, bitDepthLuma: 10, bitDepthChroma: 9 }, { bitDepthLuma: 10, bitDepthChroma: 9 }],
    [
      'picture order count type 1',
      { picOrderCntType: 1, refFrameOffsets: [4, -4, 0], maxNumRefFrames: 7 },
      { picOrderCntType: 1, maxNumRefFrames: 7, width: 1280 },
    ],
    [
      'picture order count type 2',
      { picOrderCntType: 2, maxNumRefFrames: 3 },
      { picOrderCntType: 2, maxNumRefFrames: 3 },
    ],
    ['a large frame_num', { log2MaxFrameNum: 16, spsId: 31 }, { log2MaxFrameNum: 16, spsId: 31 }],
    [
      'level 1b of Baseline',
      { profileIdc: 66, constraintFlags: 0x10, levelIdc: 11 },
      { level: '1b', levelTimes10: 9, levelIdc: 11 },
    ],
    ['level 1.1 of Baseline', { profileIdc: 66, levelIdc: 11 }, { level: '1.1', levelTimes10: 11 }],
    ['level 1b of High', { profileIdc: 100, levelIdc: 9 }, { level: '1b', levelTimes10: 9 }],
    [
      'High with set3 is not 1b',
      { profileIdc: 100, constraintFlags: 0x10, levelIdc: 11 },
      { level: '1.1', levelTimes10: 11 },
    ],
    ['Constrained High', { constraintFlags: 0x0c }, { profile: 'Constrained High' }],
    ['Progressive High', { constraintFlags: 0x08 }, { profile: 'Progressive High' }],
    ['High 10 Intra', { profileIdc: 110, constraintFlags: 0x10 }, { profile: 'High 10 Intra' }],
    ['an unknown profile', { profileIdc: 99 }, { profile: 'profile_idc 99', chromaFormatIdc: 1, bitDepthLuma: 8 }],
  ])('%s', (_name, fields, expected) => {
    expect(parseSps(buildSps(fields))).toMatchObject(expected);
  });

  test.each([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])(
    'profile %d carries its sample format',
    (profileIdc) => {
      const sps = parseSps(buildSps({ profileIdc, chromaFormatIdc: 2, bitDepthLuma: 9 }));
      expect(sps).toMatchObject({ chromaFormatIdc: 2, bitDepthLuma: 9, width: 1280, height: 720 });
    },
  );

  test('reads scaling lists: absent, ending at once and in the middle, full, wrapping below zero', () => {
    const full16 = Array.from({ length: 16 }, (_, i) => (i % 2 ? -1 : 1));
    const full64 = Array.from({ length: 64 }, () => 0);
    const lists = [undefined, [-8], [4, -12], full16, [-9, ...Array(15).fill(0)], undefined, full64, [1, 2, -11]];
    expect(parseSps(buildSps({ scalingLists: lists }))).toMatchObject({
      scalingMatrixPresent: true,
      width: 1280,
      height: 720,
    });
    const twelve = [...lists, undefined, full64, undefined, full64];
    const sps = parseSps(buildSps({ profileIdc: 244, chromaFormatIdc: 3, scalingLists: twelve }));
    expect(sps).toMatchObject({ chromaFormatIdc: 3, width: 1280, height: 720 });
  });

  test('reads a complete VUI', () => {
    const hrd = {
      bitrateScale: 4,
      cpbSizeScale: 3,
      entries: [{ bitrateValueMinus1: 99, cpbSizeValueMinus1: 199, cbr: true }],
    };
    const { vui } = parseSps(
      buildSps({
        vui: {
          sar: [4, 3],
          overscanAppropriate: true,
          videoSignal: { videoFormat: 2, fullRange: true, color: [9, 16, 9] },
          chromaLocation: [1, 2],
          timing: { numUnitsInTick: 1001, timeScale: 120_000, fixedFrameRate: true },
          nalHrd: { ...hrd, entries: [...hrd.entries, { bitrateValueMinus1: 0, cpbSizeValueMinus1: 0, cbr: false }] },
          vclHrd: hrd,
          picStructPresent: true,
          restriction: { maxNumReorderFrames: 2, maxDecFrameBuffering: 5 },
        },
      }),
    );
    expect(vui).toEqual({
      aspectRatioIdc: 255,
      sarWidth: 4,
      sarHeight: 3,
      videoSignal: {
        videoFormat: 2,
        fullRange: true,
        colorPrimaries: 9,
        transferCharacteristics: 16,
        matrixCoefficients: 9,
      },
      timing: { numUnitsInTick: 1001, timeScale: 120_000, fixedFrameRate: true, framesPerSecond: 60_000 / 1001 },
      nalHrd: [
        { bitrateBps: 100 * 1024, cpbSizeBits: 200 * 128, cbr: true },
        { bitrateBps: 1024, cpbSizeBits: 128, cbr: false },
      ],
      vclHrd: [{ bitrateBps: 100 * 1024, cpbSizeBits: 200 * 128, cbr: true }],
      hrdBits: { cpbRemovalDelay: 24, dpbOutputDelay: 24 },
      lowDelayHrd: false,
      picStructPresent: true,
      bitstreamRestriction: { maxNumReorderFrames: 2, maxDecFrameBuffering: 5 },
      fault: undefined,
    });
  });

  test('reads low_delay_hrd_flag after a single HRD, too', () => {
    const hrd = { entries: [{ bitrateValueMinus1: 0, cpbSizeValueMinus1: 0, cbr: false }] };
    const restriction = { maxNumReorderFrames: 3, maxDecFrameBuffering: 4 };
    for (const vui of [{ nalHrd: hrd, restriction }, { vclHrd: hrd, restriction }, { restriction }]) {
      expect(parseSps(buildSps({ vui })).vui).toMatchObject({ bitstreamRestriction: restriction, fault: undefined });
    }
  });

  test.each([
    [1, 1, 1],
    [2, 12, 11],
    [13, 160, 99],
    [16, 2, 1],
    [0, 1, 1],
    [200, 1, 1],
  ])('reads aspect_ratio_idc %d as %d:%d', (aspectRatioIdc, sarWidth, sarHeight) => {
    expect(parseSps(buildSps({ vui: { aspectRatioIdc } })).vui).toMatchObject({ aspectRatioIdc, sarWidth, sarHeight });
  });

  test.each([
    [0, 50],
    [1, 0],
    [0, 0],
  ])('reads no frame rate, without a fault, from timing of %d units in %d', (numUnitsInTick, timeScale) => {
    const { vui } = parseSps(buildSps({ vui: { timing: { numUnitsInTick, timeScale } } }));
    expect(vui?.timing).toMatchObject({ numUnitsInTick, timeScale, framesPerSecond: undefined });
    expect(vui?.fault).toBeUndefined();
  });

  test('reads 32-bit fields as unsigned', () => {
    const { vui } = parseSps(buildSps({ vui: { timing: { numUnitsInTick: 0xffff_ffff, timeScale: 0xffff_fffe } } }));
    expect(vui?.timing).toMatchObject({ numUnitsInTick: 0xffff_ffff, timeScale: 0xffff_fffe });
  });

  test('keeps the fields of a truncated VUI before its end', () => {
    const whole = buildSps({ vui: { sar: [4, 3], timing: { numUnitsInTick: 1, timeScale: 60 } } });
    const sps = parseSps(whole.subarray(0, whole.length - 4));
    expect(sps).toMatchObject({ width: 1280, vui: { sarWidth: 4, timing: undefined, fault: 'WIRE_TRUNCATED' } });
  });

  test('reports an HRD with more than 32 entries as a fault of the VUI only', () => {
    const entries = Array.from({ length: 33 }, () => ({ bitrateValueMinus1: 0, cpbSizeValueMinus1: 0, cbr: false }));
    expect(parseSps(buildSps({ vui: { nalHrd: { entries } } }))).toMatchObject({
      height: 720,
      vui: { fault: 'VUI_HRD' },
    });
  });
});

describe('SPS faults', () => {
  const code = (bytes: Uint8Array): string => {
    try {
      parseSps(bytes);
    } catch (error) {
      if (error instanceof WireError) return error.code;
      throw error;
    }
    return 'parsed';
  };

  test.each<[string, SpsFields]>([
    ['SPS_ID', { spsId: 32 }],
    ['SPS_CHROMA_FORMAT', { chromaFormatIdc: 4 }],
    ['SPS_BIT_DEPTH', { bitDepthLuma: 15 }],
    ['SPS_BIT_DEPTH', { bitDepthChroma: 15 }],
    ['SPS_FRAME_NUM', { log2MaxFrameNum: 17 }],
    ['SPS_PIC_ORDER', { picOrderCntType: 3 }],
    ['SPS_PIC_ORDER', { picOrderCntType: 1, refFrameOffsets: Array(256).fill(0) }],
    ['SPS_SIZE', { width: 65_552 }],
    ['SPS_SIZE', { height: 65_552 }],
    ['SPS_SCALING_LIST', { scalingLists: [[128], ...Array(7).fill(undefined)] }],
    ['SPS_SCALING_LIST', { scalingLists: [[-129], ...Array(7).fill(undefined)] }],
    ['SPS_CROPPING', { width: 64, height: 64, cropping: [32, 32, 0, 0] }],
    ['SPS_CROPPING', { width: 64, height: 64, cropping: [0, 0, 100, 0] }],
  ])('%s', (expected, fields) => {
    expect(code(buildSps(fields))).toBe(expected);
  });

  test('refuses another NAL unit type', () => expect(code(nalUnit(0x68, new Uint8Array(10)))).toBe('SPS_NAL_TYPE'));
  test('refuses empty input', () => expect(code(new Uint8Array(0))).toBe('SPS_NAL_TYPE'));

  test('refuses every prefix of a set without VUI as truncated', () => {
    const whole = buildSps({ width: 854, height: 480 });
    // The last byte holds only the stop bit.
    for (let size = 1; size < whole.length - 1; size++) expect(code(whole.subarray(0, size))).toBe('WIRE_TRUNCATED');
  });
});

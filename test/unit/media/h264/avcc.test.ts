import { WireError } from '../../../../src/bytes/wire-error.js';
import { parseAvcc } from '../../../../src/media/h264/avcc.js';
import { concat, hex } from '../../../support/bit-writer.js';
import { buildAvcc, buildPps, buildSps } from '../../../support/h264-writer.js';

function codeOf(bytes: Uint8Array): string {
  try {
    parseAvcc(bytes);
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'parsed';
}

describe('AVCDecoderConfigurationRecord', () => {
  test('reads a record of ffmpeg 5.1 with x264, High with its tail', () => {
    const record = hex(
      '0164002affe1001e6764002aacd940780227e5c05a808580a0000003002000000c81e30632c001000668ebe3cb22c0fdf8f800',
    );
    expect(parseAvcc(record)).toMatchObject({
      profileIndication: 100,
      profileCompatibility: 0,
      levelIndication: 42,
      nalLengthSize: 4,
      sps: [{ width: 1920, height: 1080, level: '4.2' }],
      pps: [{ ppsId: 0, spsId: 0, entropyCodingMode: true }],
      tail: { chromaFormatIdc: 1, bitDepthLuma: 8, bitDepthChroma: 8 },
      faults: [],
      notes: [],
    });
  });

  test('reads a record of OBS-type encoders for High without its tail', () => {
    const record = hex('01640020ffe1001967640020acd940c029b011000003000100000300320f18319601000568ebecb22c');
    expect(parseAvcc(record)).toMatchObject({
      tail: undefined,
      faults: [],
      notes: [],
      sps: [{ width: 768, height: 320 }],
    });
  });

  test('prefers the SPS over the compatibility byte of the Flash Player', () => {
    const record = hex('0142001effe100196742801e96540a0fd80a840000030004000003007a768489a801000468ce3520');
    expect(parseAvcc(record)).toMatchObject({ profileCompatibility: 0, sps: [{ constraintFlags: 0x80 }], faults: [] });
  });

  test('reads a record with a broken SPS, an AFL crash sample', () => {
    const record = hex(
      '01644014ffe1002467640014a6ff7f000001520c0c1880000003008000000c704007d00d2108c7076848965801000568c9735250',
    );
    expect(parseAvcc(record)).toMatchObject({ sps: [], pps: [{ ppsId: 0 }], faults: ['SPS_SCALING_LIST'] });
  });

  test.each([
    [1, []],
    [2, []],
    [4, []],
    [3, ['AVCC_NAL_LENGTH_SIZE']],
  ])('reads length fields of %d bytes', (nalLengthSize, notes) => {
    expect(parseAvcc(buildAvcc({ nalLengthSize }))).toMatchObject({ nalLengthSize, notes });
  });

  test('notes reserved bits of 0 without refusing them', () => {
    expect(parseAvcc(buildAvcc({ reservedBits: false }))).toMatchObject({
      nalLengthSize: 4,
      notes: ['AVCC_RESERVED_BITS'],
    });
  });

  test('reads several SPS and PPS in order', () => {
    const sps = [buildSps({ spsId: 0 }), buildSps({ spsId: 5, width: 640, height: 360 })];
    const pps = [buildPps({ ppsId: 0 }), buildPps({ ppsId: 200, spsId: 5, cabac: false })];
    expect(parseAvcc(buildAvcc({ sps, pps }))).toMatchObject({
      sps: [{ spsId: 0 }, { spsId: 5, width: 640 }],
      pps: [{ ppsId: 0 }, { ppsId: 200, spsId: 5, entropyCodingMode: false }],
      faults: [],
    });
  });

  test('accepts a record without SPS, for in-band parameter sets', () => {
    const config = parseAvcc(buildAvcc({ sps: [], pps: [], profileIdc: 77, levelIdc: 40 }));
    expect(config).toMatchObject({ sps: [], levelIndication: 40, faults: [], notes: ['AVCC_NO_SPS', 'AVCC_NO_PPS'] });
  });

  test('notes the missing PPS of a record truncated after the SPS', () => {
    const whole = buildAvcc({ pps: [], tail: false });
    expect(parseAvcc(whole.subarray(0, whole.length - 1))).toMatchObject({
      sps: [{ width: 1280 }],
      notes: ['AVCC_NO_PPS'],
    });
  });

  test('keeps a valid SPS beside a broken one', () => {
    const sps = [buildSps({ spsId: 40 }), buildSps({ spsId: 1 })];
    expect(parseAvcc(buildAvcc({ sps }))).toMatchObject({ sps: [{ spsId: 1 }], faults: ['SPS_ID'] });
  });

  test('notes profile and level that differ from the SPS', () => {
    const config = parseAvcc(buildAvcc({ profileIdc: 77, levelIdc: 51 }));
    expect(config).toMatchObject({
      notes: ['AVCC_PROFILE_DIFFERS', 'AVCC_LEVEL_DIFFERS'],
      sps: [{ profileIdc: 100, levelIdc: 31 }],
    });
  });

  test('notes a tail that contradicts the SPS, and a truncated one', () => {
    expect(parseAvcc(buildAvcc({ tail: Uint8Array.of(0xfe, 0xf8, 0xf8, 0) }))).toMatchObject({
      tail: { chromaFormatIdc: 2 },
      notes: ['AVCC_TAIL_DIFFERS'],
    });
    expect(parseAvcc(buildAvcc({ tail: Uint8Array.of(0xfd) }))).toMatchObject({
      tail: undefined,
      notes: ['AVCC_TAIL_TRUNCATED'],
    });
  });

  test('returns a record or a code for every prefix, and only sets that exist', () => {
    const whole = buildAvcc({ sps: [buildSps({ width: 854, height: 480 })] });
    for (let size = 0; size < whole.length; size++) {
      const prefix = whole.subarray(0, size);
      if (size < 6) {
        expect(codeOf(prefix)).toBe('AVCC_TOO_SHORT');
        continue;
      }
      const config = parseAvcc(prefix);
      const complete = size >= 6 + 2 + buildSps({ width: 854, height: 480 }).length;
      expect(config.sps).toHaveLength(complete ? 1 : 0);
      if (!complete) expect(config.faults).toEqual(['AVCC_SPS_TRUNCATED']);
    }
  });

  test('refuses other versions and Annex B', () => {
    expect(codeOf(concat(Uint8Array.of(0), buildAvcc().subarray(1)))).toBe('AVCC_VERSION');
    expect(codeOf(concat(Uint8Array.of(0, 0, 0, 1), buildSps()))).toBe('AVCC_VERSION');
  });
});

import { BitReader } from '../../../src/bytes/bit-reader.js';
import { WireError } from '../../../src/bytes/wire-error.js';

const bits = (text: string) => {
  const clean = text.replace(/\s/g, '');
  const bytes = new Uint8Array(Math.ceil(clean.length / 8));
  for (let i = 0; i < clean.length; i++)
    if (clean[i] === '1') bytes[i >> 3] = (bytes[i >> 3] as number) | (0x80 >> (i & 7));
  return new BitReader(bytes, 'H.264 9.1');
};

describe('BitReader', () => {
  test.each([
    ['1', 0],
    ['010', 1],
    ['011', 2],
    ['00100', 3],
    ['00111', 6],
    ['0001000', 7],
    // 31 zeros: the largest code that SPS fields use, 2^32 - 2.
    [`${'0'.repeat(31)}1${'1'.repeat(31)}`, 2 ** 32 - 2],
    [`${'0'.repeat(31)}1${'0'.repeat(31)}`, 2 ** 31 - 1],
    [`${'0'.repeat(32)}1${'0'.repeat(32)}`, 2 ** 32 - 1],
  ])('ue(v) of %s is %d (H.264 table 9-1)', (code, value) => {
    expect(bits(code).ue()).toBe(value);
  });

  test.each([
    ['1', 0],
    ['010', 1],
    ['011', -1],
    ['00100', 2],
    ['00101', -2],
    [`${'0'.repeat(31)}1${'1'.repeat(31)}`, -(2 ** 31 - 1)],
  ])('se(v) of %s is %d (H.264 table 9-3)', (code, value) => {
    expect(bits(code).se()).toBe(value);
  });

  test('u(n) is unsigned at every width and at every alignment', () => {
    for (let shift = 0; shift < 8; shift++) {
      for (let width = 1; width <= 32; width++) {
        const reader = bits(`${'0'.repeat(shift)}${'1'.repeat(width)}0`);
        reader.skip(shift);
        expect(reader.u(width)).toBe(2 ** width - 1);
        expect(reader.u(1)).toBe(0);
      }
    }
    expect(bits('1').u(0)).toBe(0);
  });

  test('throws WireError past the end and for endless codes', () => {
    expect(() => new BitReader(new Uint8Array(1), 'x').u(9)).toThrow(WireError);
    expect(() => new BitReader(new Uint8Array(100), 'x').ue()).toThrow(WireError);
    expect(() => new BitReader(new Uint8Array(2), 'x').ue()).toThrow(WireError);
    expect(() => new BitReader(new Uint8Array(0), 'x').flag()).toThrow(WireError);
    expect(() => bits(`${'0'.repeat(32)}1${'1'.repeat(32)}`).ue()).toThrow(WireError);
  });

  test('more_rbsp_data finds the stop bit, also before trailing zero bytes', () => {
    const reader = new BitReader(new Uint8Array([0b1010_0000, 0, 0]), 'x');
    expect(reader.moreRbspData()).toBe(true);
    reader.skip(2);
    expect(reader.moreRbspData()).toBe(false);
    expect(new BitReader(new Uint8Array(3), 'x').moreRbspData()).toBe(false);
  });

  test('align moves to the next byte only from within a byte', () => {
    const reader = new BitReader(new Uint8Array([0xff, 0x01]), 'x');
    reader.align();
    expect(reader.bitOffset).toBe(0);
    reader.skip(3);
    reader.align();
    expect(reader.u(8)).toBe(1);
    expect(reader.bitsLeft).toBe(0);
  });
});

import { WireError } from '../../../../src/bytes/wire-error.js';
import { AmfDate, type AmfValue } from '../../../../src/rtmp/amf/amf-value.js';
import { Amf0Decoder, decodeAmf0 } from '../../../../src/rtmp/amf/amf0-decoder.js';
import { EcmaArray, encodeAmf0 } from '../../../../src/rtmp/amf/amf0-encoder.js';
import { DEFAULT_AMF_LIMITS } from '../../../../src/rtmp/limits.js';
import { hex } from '../peers.js';

const decode = (bytes: Uint8Array): AmfValue[] => decodeAmf0(bytes, DEFAULT_AMF_LIMITS);
const codeOf = (bytes: Uint8Array): string => {
  try {
    decode(bytes);
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'none';
};

/** From AMF 0 (December 2007), section 2, one for each marker. */
const VECTORS: [string, string, AmfValue][] = [
  ['number', '00 3ff8000000000000', 1.5],
  ['number -Infinity', '00 fff0000000000000', Number.NEGATIVE_INFINITY],
  ['boolean', '01 01', true],
  ['boolean, any other byte', '01 7f', true],
  ['string', '02 0003 c3a961', 'éa'],
  ['empty string', '02 0000', ''],
  ['object', '03 0001 61 05 0001 62 01 00 0000 09', { a: null, b: false }],
  ['empty name that is a member', '03 0000 05 0000 09', { '': null }],
  ['null', '05', null],
  ['undefined', '06', undefined],
  ['unsupported', '0d', undefined],
  ['ECMA array, count right', '08 00000001 0001 61 05 0000 09', { a: null }],
  ['ECMA array, count a lie', '08 ffffffff 0001 61 05 0000 09', { a: null }],
  ['ECMA array, count 0 (FMLE)', '08 00000000 0001 61 05 0000 09', { a: null }],
  ['strict array', '0a 00000002 05 02 0001 61', [null, 'a']],
  ['date', '0b 4276bf2d6c000000 ffc4', new AmfDate(1563147288576, -60)],
  ['long string', '0c 00000001 61', 'a'],
  ['XML document', '0f 00000004 3c612f3e', '<a/>'],
  ['typed object', '10 0001 43 0001 61 05 0000 09', { a: null }],
  ['AMF3 integer', '11 04 81 00', 128],
];

describe('AMF0 values', () => {
  test.each(VECTORS)('%s', (_name, bytes, value) => {
    expect(decode(hex(bytes))).toEqual([value]);
    // A byte after it does not change where the value ends.
    const decoder = new Amf0Decoder(hex(`${bytes} 05`), DEFAULT_AMF_LIMITS);
    decoder.value();
    expect(decoder.offset).toBe(hex(bytes).length);
  });

  test.each(VECTORS)('refuses %s truncated anywhere', (_name, bytes) => {
    const whole = hex(bytes);
    for (let size = 1; size < whole.length; size++) {
      expect(() => decode(whole.slice(0, size))).toThrow(WireError);
    }
  });

  test.each(['04', '0e', '09', '12', 'ff'])('refuses marker %s', (marker) => {
    expect(codeOf(hex(marker))).toBe('AMF0_MARKER');
  });

  test('creates objects without a prototype', () => {
    const [value] = decode(
      hex('03 0009 5f5f70726f746f5f5f 03 0001 61 00 0000000000000000 0000 09 000b 636f6e7374727563746f72 05 0000 09'),
    );
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test('resolves a reference to the same earlier object', () => {
    const [first, second] = decode(hex('03 0001 61 05 0000 09 07 0000'));
    expect(second).toBe(first);
  });

  test('refuses a cyclic or dangling reference', () => {
    expect(codeOf(hex('03 0001 61 07 0000 0000 09'))).toBe('AMF_REFERENCE');
    expect(codeOf(hex('07 0000'))).toBe('AMF_REFERENCE');
  });

  test('counts nested references by their expansion', () => {
    // An array of 30 nulls, then arrays of 30 references each to the previous one: 30^n elements when walked.
    const parts = [`0a 0000001e ${'05'.repeat(30)}`];
    for (let i = 0; i < 5; i++) parts.push(`0a 0000001e ${`07 000${i}`.repeat(30)}`);
    expect(codeOf(hex(parts.join('')))).toBe('AMF_TOO_MANY_ENTRIES');
  });

  test('accepts depth 16 and refuses 17 and 10,000', () => {
    const nested = (depth: number) => new Uint8Array([...Array(depth).fill([0x0a, 0, 0, 0, 1]), 5].flat());
    expect(codeOf(nested(16))).toBe('none');
    expect(codeOf(nested(17))).toBe('AMF_TOO_DEEP');
    expect(codeOf(nested(10_000))).toBe('AMF_TOO_DEEP');
    // Siblings do not add depth.
    expect(codeOf(hex('03 0000 09'.repeat(40)))).toBe('none');
    expect(codeOf(hex('0a 00000000'.repeat(40)))).toBe('none');
  });

  test('accepts 1024 entries, refuses 1025, and does not allocate a count of 4 billion', () => {
    const array = (count: number) => new Uint8Array([0x0a, 0, 0, count >> 8, count & 255, ...Array(count).fill(5)]);
    expect(codeOf(array(1024))).toBe('none');
    expect(codeOf(array(1025))).toBe('AMF_TOO_MANY_ENTRIES');
    expect(codeOf(hex('0a ffffffff 05'))).toBe('AMF_TOO_MANY_ENTRIES');
    expect(codeOf(new Uint8Array(1025).fill(5))).toBe('AMF_TOO_MANY_ENTRIES');
  });

  test('accepts strings and keys of 16 KiB and refuses longer ones and a length of 4 GB', () => {
    const string = (size: number) => new Uint8Array([2, size >> 8, size & 255, ...new Uint8Array(size)]);
    expect(codeOf(string(16_384))).toBe('none');
    expect(codeOf(string(16_385))).toBe('AMF_STRING_TOO_LONG');
    expect(codeOf(hex('0c ffffffff 61'))).toBe('AMF_STRING_TOO_LONG');
    expect(codeOf(new Uint8Array([3, 0xff, 0xff, ...new Uint8Array(65_535)]))).toBe('AMF_STRING_TOO_LONG');
  });
});

describe('AMF0 encoding', () => {
  test('reads back each type', () => {
    const values: AmfValue[] = [
      0,
      -1.25,
      true,
      'text',
      '',
      null,
      undefined,
      [1, [2]],
      { a: { b: 'c' } },
      new AmfDate(1000, 60),
    ];
    expect(decode(encodeAmf0(...values))).toEqual(values);
  });

  test('writes the bytes of the specification', () => {
    expect(encodeAmf0('connect', 1, { app: 'a' }, new EcmaArray({ x: true }))).toEqual(
      hex(
        '02 0007 636f6e6e656374 00 3ff0000000000000 03 0003 617070 02 0001 61 0000 09 08 00000001 0001 78 01 01 0000 09',
      ),
    );
  });

  test('writes a string above 65,535 bytes as a long string', () => {
    expect([...encodeAmf0('a'.repeat(65_536)).subarray(0, 5)]).toEqual([0x0c, 0, 1, 0, 0]);
  });

  test('throws for a cyclic value', () => {
    const loop: AmfValue[] = [];
    loop.push(loop);
    expect(() => encodeAmf0(loop)).toThrow(RangeError);
  });
});

import { WireError } from '../../../../src/bytes/wire-error.js';
import { AmfDate, type AmfValue } from '../../../../src/rtmp/amf/amf-value.js';
import { decodeAmf3 } from '../../../support/amf3.js';
import { hex } from '../peers.js';

const decode = (text: string): AmfValue => decodeAmf3(hex(text));
const codeOf = (text: string): string => {
  try {
    decode(text);
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'none';
};

/** From AMF 3 (January 2013), section 3. */
const VECTORS: [string, string, AmfValue][] = [
  ['undefined', '00', undefined],
  ['null', '01', null],
  ['false', '02', false],
  ['true', '03', true],
  ['integer of one byte', '04 7f', 127],
  ['integer of two', '04 8100', 128],
  ['integer of four, the largest', '04 bfffffff', 2 ** 28 - 1],
  ['integer -1', '04 ffffffff', -1],
  ['the least integer', '04 c0808000', -(2 ** 28)],
  ['double', '05 3ff8000000000000', 1.5],
  ['string', '06 05 c3a9', 'é'],
  ['XML document', '07 09 3c612f3e', '<a/>'],
  ['date', '08 01 4276bf2d6c000000', new AmfDate(1563147288576)],
  ['dense array', '09 05 01 0401 03', [1, true]],
  ['associative array', '09 03 0361 0401 01 0402', { a: 1, 0: 2 }],
  ['dynamic object', '0a 0b 01 0361 0401 01', { a: 1 }],
  ['sealed object with a class', '0a 13 0343 0361 0402', { a: 2 }],
  ['XML', '0b 03 61', 'a'],
  ['byte array', '0c 05 0102', new Uint8Array([1, 2])],
  ['vector of int', '0d 03 00 ffffffff', [-1]],
  ['vector of uint', '0e 03 01 ffffffff', [0xffffffff]],
  ['vector of double', '0f 03 00 3ff8000000000000', [1.5]],
  ['vector of object', '10 05 00 01 0401 01', [1, null]],
  ['dictionary', '11 05 00 06 0361 0401 0402 03', { a: 1, 2: true }],
  ['a string referred to', '09 05 01 06 0361 06 00', ['a', 'a']],
  ['traits referred to', '09 05 01 0a 13 01 0361 0401 0a 01 0402', [{ a: 1 }, { a: 2 }]],
];

describe('AMF3 values', () => {
  test.each(VECTORS)('%s', (_name, bytes, value) => {
    expect(decode(bytes)).toEqual(value);
    expect(decode(`${bytes} ff`)).toEqual(value);
  });

  test.each(VECTORS)('refuses %s truncated anywhere', (_name, bytes) => {
    const whole = hex(bytes);
    for (let size = 0; size < whole.length; size++) {
      expect(() => decodeAmf3(whole.slice(0, size))).toThrow(WireError);
    }
  });

  test('resolves a reference to the same object', () => {
    const value = decode('09 05 01 0a 0b 01 0361 0401 01 0a 02') as AmfValue[];
    expect(value[1]).toBe(value[0]);
  });

  test.each([
    ['unknown marker', '12', 'AMF3_MARKER'],
    ['externalizable', '0a 07 0343', 'AMF3_EXTERNALIZABLE'],
    ['inside itself', '09 03 01 09 00', 'AMF_REFERENCE'],
    ['string never sent', '06 00', 'AMF_REFERENCE'],
    ['traits never sent', '0a 05', 'AMF_REFERENCE'],
    ['a count of 2^28', '09 ffffffff 01', 'AMF_TOO_MANY_ENTRIES'],
    ['a vector of 2^28', '0f ffffffff 00', 'AMF_TOO_MANY_ENTRIES'],
    ['traits with 2^26 members', '0a fffffffb 01', 'AMF_TOO_MANY_ENTRIES'],
    ['a string of 2^28', '06 ffffffff', 'AMF_STRING_TOO_LONG'],
    ['a byte array of 2^28', '0c ffffffff', 'AMF_STRING_TOO_LONG'],
    ['nested deeper than 16', `${'09 03 01'.repeat(17)} 01`, 'AMF_TOO_DEEP'],
  ])('refuses %s', (_name, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });
});

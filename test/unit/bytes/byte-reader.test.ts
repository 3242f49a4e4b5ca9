import { ByteReader } from '../../../src/bytes/byte-reader.js';
import { ByteWriter } from '../../../src/bytes/byte-writer.js';
import { WireError } from '../../../src/bytes/wire-error.js';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replace(/\s/g, ''), 'hex'));

describe('ByteReader', () => {
  test('reads each field at its width, big-endian unless named otherwise', () => {
    const reader = new ByteReader(
      hex('ff fffe fffe fffffd fffffc fffffffb fffffffa 0102 01000000 001fffffffffffff 3ff8000000000000'),
      'x',
    );
    expect(reader.u8()).toBe(0xff);
    expect(reader.u16()).toBe(0xfffe);
    expect(reader.i16()).toBe(-2);
    expect(reader.u24()).toBe(0xfffffd);
    expect(reader.i24()).toBe(-4);
    expect(reader.u32()).toBe(0xfffffffb);
    expect(reader.i32()).toBe(-6);
    expect(reader.u16le()).toBe(0x0201);
    expect(reader.u32le()).toBe(1);
    expect(reader.u64()).toBe(2 ** 53 - 1);
    expect(reader.f64()).toBe(1.5);
    expect(reader.remaining).toBe(0);
    expect(reader.peekU8()).toBe(-1);
  });

  test('throws WireError with clause and offset past the end, and consumes nothing', () => {
    const reader = new ByteReader(hex('0102'), 'RTMP 1.0 5.3.1');
    reader.u8();
    let caught: unknown;
    try {
      reader.u32();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(WireError);
    expect(caught).toMatchObject({ code: 'WIRE_TRUNCATED', clause: 'RTMP 1.0 5.3.1', offset: 1 });
    expect(reader.u8()).toBe(2);
  });

  test('does not read beyond its bounds, and reads a view at the offset of the view', () => {
    const inner = hex('aabb010203ccdd').subarray(2, 5);
    const reader = new ByteReader(inner, 'x', 1, 2);
    expect(reader.u8()).toBe(2);
    expect(() => reader.u8()).toThrow(WireError);
  });

  test('throws for a negative length', () => {
    expect(() => new ByteReader(hex('0102'), 'x').bytes(-1)).toThrow(WireError);
  });

  test('decodes invalid UTF-8 as U+FFFD, and latin1 byte by byte', () => {
    expect(new ByteReader(hex('c3a9ff'), 'x').utf8(3)).toBe('é\ufffd');
    expect(new ByteReader(hex('61766331'), 'x').latin1(4)).toBe('avc1');
  });
});

describe('ByteWriter', () => {
  test('writes what the reader reads back, also across growth', () => {
    const writer = new ByteWriter(1);
    for (let i = 0; i < 100; i++) writer.u8(i).u16(i).u24(0xfedcba).u32(0xffffffff).u32le(i).f64(-0.5).utf8('é');
    const reader = new ByteReader(writer.toBytes(), 'x');
    for (let i = 0; i < 100; i++) {
      expect([reader.u8(), reader.u16(), reader.u24(), reader.u32(), reader.u32le(), reader.f64()]).toEqual([
        i,
        i,
        0xfedcba,
        0xffffffff,
        i,
        -0.5,
      ]);
      expect(reader.utf8(2)).toBe('é');
    }
    expect(reader.remaining).toBe(0);
    writer.reset();
    expect(writer.bytes(hex('0a')).view()).toEqual(hex('0a'));
  });
});

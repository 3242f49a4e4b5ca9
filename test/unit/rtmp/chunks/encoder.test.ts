import { SliceList } from '../../../../src/bytes/slices.js';
import { ChunkDecoder } from '../../../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../../../src/rtmp/limits.js';
import { hex, Messages } from '../peers.js';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the examples of the specification', () => {
  // RTMP 1.0 5.3.2.2: a message of 307 bytes at a chunk size of 128.
  test('splits a message longer than a chunk', () => {
    const body = new Uint8Array(307).map((_, i) => i);
    const out = new ChunkEncoder().encode(4, 9, 12346, 1000, body);
    expect(hexOf(out)).toBe(
      hexOf(
        hex(
          `04 0003e8 000133 09 3a300000 ${hexOf(body.subarray(0, 128))} c4 ${hexOf(body.subarray(128, 256))} c4 ${hexOf(body.subarray(256))}`,
        ),
      ),
    );
  });

  // RTMP 1.0 5.3.2.1: audio of 32 bytes every 20 ms: types 0, 2, 3, 3.
  test('writes deltas', () => {
    const encoder = new ChunkEncoder({ headers: 'delta' });
    const body = new Uint8Array(32);
    const heads = [1000, 1020, 1040, 1060].map((time) => hexOf(encoder.encode(3, 8, 12345, time, body)).slice(0, -64));
    expect(heads).toEqual(['030003e80000200839300000', '83000014', 'c3', 'c3']);
  });

  test('writes type 1 for another length, and type 0 for an earlier time or another stream', () => {
    const encoder = new ChunkEncoder({ headers: 'delta' });
    const formats = (
      [
        [1, 100, 5],
        [1, 120, 6],
        [1, 110, 6],
        [2, 130, 6],
      ] as const
    ).map(([stream, time, size]) => (encoder.encode(3, 8, stream, time, new Uint8Array(size))[0] as number) >> 6);
    expect(formats).toEqual([0, 1, 0, 0]);
  });

  test.each([
    [2, '02'],
    [63, '3f'],
    [64, '0000'],
    [319, '00ff'],
    [320, '010001'],
    [65_599, '01ffff'],
  ])('writes chunk stream %d as %s', (id, header) => {
    expect(hexOf(new ChunkEncoder().encode(id, 8, 1, 0, hex('aa')))).toBe(
      `${header}000000000001080100 0000aa`.replace(' ', ''),
    );
  });

  test('repeats extended timestamps in type 3, or omits them as old librtmp does', () => {
    const body = new Uint8Array(130);
    const repeated = new ChunkEncoder().encode(4, 9, 1, 0xffffff, body);
    expect(hexOf(repeated.subarray(0, 16))).toBe('04ffffff0000820901000000' + '00ffffff');
    expect(hexOf(repeated.subarray(16 + 128))).toBe('c4' + '00ffffff' + '0000');
    const omitted = new ChunkEncoder({ omitRepeatedTimestamps: true }).encode(4, 9, 1, 0xffffff, body);
    expect(hexOf(omitted.subarray(16 + 128))).toBe('c4' + '0000');
    expect(hexOf(new ChunkEncoder().encode(4, 9, 1, 0xfffffe, hex('aa')))).toBe(
      '04fffffe000001090100 0000aa'.replace(' ', ''),
    );
  });

  test('writes an empty message as a header', () => {
    expect(hexOf(new ChunkEncoder().encode(4, 8, 1, 0, new Uint8Array(0)))).toBe('04000000000000080100' + '0000');
  });

  test('writes a payload in pieces contiguously', () => {
    const pieces = SliceList.of(hex('0102'), hex('03'), hex('040506'));
    const encoder = new ChunkEncoder({ chunkSize: 4 });
    expect(encoder.encode(4, 8, 1, 0, pieces)).toEqual(encoder.encode(4, 8, 1, 0, hex('010203040506')));
  });

  test('refuses values that cannot be encoded', () => {
    expect(() => new ChunkEncoder().encode(4, 9, 1, 0, new Uint8Array(0x1000000))).toThrow(RangeError);
    expect(() => new ChunkEncoder().setChunkSize(0)).toThrow(RangeError);
  });
});

test('the decoder reads back messages of any encoder settings', () => {
  const times = [
    0, 5, 5, 10, 15, 900, 0xfffffe, 0xffffff, 0x1000000, 0x1000021, 0x7fffffff, 0x80000010, 0xfffffff0, 0x10, 0x20,
  ];
  for (const chunkSize of [1, 128, 4096]) {
    for (const headers of ['full', 'delta'] as const) {
      for (const omitRepeatedTimestamps of [false, true]) {
        const encoder = new ChunkEncoder({ headers, omitRepeatedTimestamps });
        const messages = new Messages();
        const decoder = new ChunkDecoder(messages, DEFAULT_RTMP_LIMITS);
        decoder.push(
          new Uint8Array(new ChunkEncoder().encode(2, 1, 0, 0, hex(chunkSize.toString(16).padStart(8, '0')))),
        );
        encoder.setChunkSize(chunkSize);
        for (const [i, time] of times.entries()) {
          const body = new Uint8Array(i % 3 === 0 ? 700 : 300).fill(0x17 + i);
          decoder.push(new Uint8Array(encoder.encode(i % 2 === 0 ? 4 : 70, 9, 1, time, body)));
        }
        expect(messages.all.map((m) => m.timestampMs)).toEqual(times);
        expect(messages.all.every((m, i) => m.payload.every((byte) => byte === 0x17 + i))).toBe(true);
      }
    }
  }
});

import { SliceList } from '../../../../src/bytes/slices.js';
import { FlvFileReader, type FlvTagKind } from '../../../../src/media/flv/file-reader.js';
import { flvFileHeader, flvTag, MAX_FLV_TAG_BODY_BYTES } from '../../../../src/media/flv/file-writer.js';
import { concat, hex } from '../../../support/bit-writer.js';
import { flvFile } from '../../../support/flv-writer.js';
import { synthStream } from '../../../support/synth-stream.js';

type Row = [FlvTagKind, number, string, number];

function read(file: Uint8Array, size = file.length) {
  const rows: Row[] = [];
  let flags: [boolean, boolean] | undefined;
  const reader = new FlvFileReader({
    header: (hasAudio, hasVideo) => {
      flags = [hasAudio, hasVideo];
    },
    tag: (kind, timestampMs, payload, byteOffset) => {
      rows.push([kind, timestampMs, Buffer.from(payload.copy(0, payload.length)).toString('hex'), byteOffset]);
    },
  });
  for (let at = 0; at < file.length; at += size) reader.push(file.subarray(at, at + size));
  return { rows, flags, truncated: reader.end(), reader };
}

const BODIES: readonly [FlvTagKind, number, Uint8Array][] = [
  ['data', 0, hex('020a')],
  ['video', 0, hex('1700000000 aabb')],
  ['audio', 5, hex('af01 cc')],
  ['audio', 0xffffff, hex('af01 dd')],
  ['video', 0x1000000, hex('2701000000 ee')],
  ['video', 0xffffffff, new Uint8Array(0)],
];
const FILE = concat(
  flvFileHeader(true, true),
  ...BODIES.flatMap(([kind, time, body]) => flvTag(kind, time, SliceList.of(body.subarray(0, 1), body.subarray(1)))),
);
const ROWS = BODIES.map(([kind, time, body]) => [kind, time, Buffer.from(body).toString('hex')]);

describe('FLV files', () => {
  test('reads back what the writer wrote, split at every offset', () => {
    const whole = read(FILE);
    expect(whole.rows.map((row) => row.slice(0, 3))).toEqual(ROWS);
    expect(whole).toMatchObject({
      flags: [true, true],
      truncated: false,
      reader: { wrongBackPointers: 0, skippedTags: 0 },
    });
    for (let size = 1; size < FILE.length; size++) expect(read(FILE, size).rows).toEqual(whole.rows);
  });

  test('reports the byte offset of each tag', () => {
    for (const [, , , offset] of read(FILE, 7).rows) expect([8, 9, 18]).toContain(FILE[offset]);
    expect(read(FILE).rows[1]?.[3]).toBe(13 + 11 + 2 + 4);
  });

  test('agrees with an independent writer', () => {
    const messages = [...synthStream({ durationMs: 500, startMs: 2 ** 24 - 250 })];
    const { rows, reader } = read(flvFile(messages), 1000);
    expect(rows.map(([kind, time]) => [kind, time])).toEqual(
      messages.map(({ kind, timestampMs }) => [kind, timestampMs]),
    );
    expect(reader.wrongBackPointers).toBe(0);
  });

  test('writes the exact bytes of a tag with an extended timestamp', () => {
    const [header, body, backPointer] = flvTag('video', 0x12345678, SliceList.of(hex('0102030405')));
    expect(header).toEqual(hex('09 000005 345678 12 000000'));
    expect(body).toEqual(hex('0102030405'));
    expect(backPointer).toEqual(hex('00000010'));
    expect(flvFileHeader(false, true)).toEqual(hex('464c56 01 01 00000009 00000000'));
    expect(flvTag('audio', 2 ** 32 + 5, SliceList.of())[0]).toEqual(hex('08 000000 000005 00 000000'));
  });

  test('delivers payload as views of the input', () => {
    const body = hex('0102');
    const pieces = flvTag('audio', 0, SliceList.of(body));
    expect(pieces[1]?.buffer).toBe(body.buffer);
  });

  test('throws for a body too large for the format', () => {
    const large = new SliceList();
    large.push(new Uint8Array(1), 0, MAX_FLV_TAG_BODY_BYTES + 1);
    expect(() => flvTag('video', 0, large)).toThrow(RangeError);
  });
});

describe('irregular FLV files', () => {
  test('keeps the complete tags of a truncated file', () => {
    // Without the last tag's back pointer and one byte of its header.
    const { rows, truncated } = read(FILE.subarray(0, FILE.length - 5));
    expect(rows).toHaveLength(BODIES.length - 1);
    expect(truncated).toBe(true);
    expect(read(FILE.subarray(0, FILE.length - 4)).truncated).toBe(false);
  });

  test('counts and ignores wrong back pointers', () => {
    const wrong = FILE.slice();
    wrong.set(hex('ffffffff'), 13 + 11 + 2);
    const { rows, reader } = read(wrong);
    expect(rows).toHaveLength(BODIES.length);
    expect(reader.wrongBackPointers).toBe(1);
  });

  test('skips unknown and encrypted tags', () => {
    const strange = concat(
      hex('0f 000002 000000 00 000000 aabb 0000000d'),
      hex('29 000001 000000 00 000000 aa 0000000c'),
    );
    const { rows, reader } = read(concat(FILE.subarray(0, 13), strange, FILE.subarray(13)));
    expect(rows).toHaveLength(BODIES.length);
    expect(reader.skippedTags).toBe(2);
    expect(reader.wrongBackPointers).toBe(0);
  });

  test('accepts a longer file header', () => {
    const long = concat(hex('464c56 01 04 0000000c 010203 00000000'), FILE.subarray(13));
    for (const size of [1, 5, long.length]) {
      expect(read(long, size)).toMatchObject({ flags: [true, false], rows: { length: BODIES.length } });
    }
  });

  test.each([
    ['FLV_SIGNATURE', hex('474000 1000 0000000000')],
    ['FLV_SIGNATURE', hex('0000001c 66747970 6d70')],
    ['FLV_SIGNATURE', hex('464c')],
    ['FLV_SIGNATURE', new Uint8Array(0)],
    ['FLV_VERSION', hex('464c56 02 05 00000009')],
    ['FLV_DATA_OFFSET', hex('464c56 01 05 00000008')],
    ['FLV_DATA_OFFSET', hex('464c56 01 05 7fffffff')],
    ['FLV_LOST_SYNC', concat(FILE.subarray(0, 13 + 17 - 4), hex('00000099 77 000000 000000 00 000000'))],
  ])('%s', (code, file) => {
    expect(() => read(file)).toThrow(expect.objectContaining({ code }));
    expect(() => read(file, 1)).toThrow(expect.objectContaining({ code }));
  });

  test('releases the payload of a tag after its delivery', () => {
    let seen: SliceList | undefined;
    const reader = new FlvFileReader({
      tag: (_kind, _time, payload) => {
        seen = payload;
      },
    });
    reader.push(FILE);
    expect(seen).toMatchObject({ length: 0, count: 0 });
  });
});

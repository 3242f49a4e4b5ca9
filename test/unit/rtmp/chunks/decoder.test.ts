import { WireError } from '../../../../src/bytes/wire-error.js';
import { decodeAmf0 } from '../../../../src/rtmp/amf/amf0-decoder.js';
import { ChunkDecoder } from '../../../../src/rtmp/chunks/decoder.js';
import { DEFAULT_AMF_LIMITS, DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../../../../src/rtmp/limits.js';
import { type Heard, hex, Messages, pieces } from '../peers.js';
import { FFMPEG_PUBLISH, GSTREAMER_PUBLISH } from '../vectors.js';

function decode(parts: Iterable<Uint8Array>, limits: Partial<RtmpLimits> = {}): Messages {
  const messages = new Messages();
  const decoder = new ChunkDecoder(messages, { ...DEFAULT_RTMP_LIMITS, ...limits });
  for (const part of parts) decoder.push(part.slice());
  return messages;
}

/** Decodes whole, byte by byte, and at every split, and compares the messages. */
function decodeEveryWay(bytes: Uint8Array): Heard[] {
  const whole = decode([bytes]);
  const wanted = fingerprint(whole);
  expect(fingerprint(decode(pieces(bytes, 1)))).toBe(wanted);
  for (let cut = 1; cut < bytes.length; cut++) {
    const got = fingerprint(decode([bytes.subarray(0, cut), bytes.subarray(cut)]));
    if (got !== wanted) throw new Error(`cut at ${cut}: ${got}\nwhole: ${wanted}`);
  }
  return whole.all;
}

const fingerprint = (messages: Messages): string =>
  JSON.stringify([
    messages.faults,
    messages.all.map((m) => ({ ...m, payload: Buffer.from(m.payload).toString('latin1') })),
  ]);
const summary = (messages: readonly Heard[]) =>
  messages.map((m) => [m.chunkStreamId, m.typeId, m.messageStreamId, m.timestampMs, m.payload.length]);
const commandNames = (messages: readonly Heard[]) =>
  messages.filter((m) => m.typeId === 20).map((m) => decodeAmf0(m.payload, DEFAULT_AMF_LIMITS)[0]);

describe('captured bytes of other software', () => {
  test('decodes FFmpeg 5.1 across 2^24 ms', () => {
    const messages = decodeEveryWay(hex(FFMPEG_PUBLISH));
    expect(commandNames(messages)).toEqual([
      'connect',
      'releaseStream',
      'FCPublish',
      'createStream',
      'publish',
      'FCUnpublish',
      'deleteStream',
    ]);
    const video = messages.filter((m) => m.typeId === 9);
    expect(summary(video)).toEqual([
      [6, 9, 1, 0, 42],
      [6, 9, 1, 16_777_215, 628],
      [6, 9, 1, 16_777_255, 15],
      [6, 9, 1, 16_777_295, 15],
      [6, 9, 1, 16_777_295, 5],
    ]);
    // x264's SEI is intact in the key frame, so no timestamp bytes are in the payload.
    expect(Buffer.from(video[1]?.payload ?? []).toString('latin1')).toContain(
      'x264 - core 164 r3095 baee400 - H.264/MPEG-4 AVC codec - Copyleft 2003-2022 - http://www.videolan.org/x264.html - options: cabac=',
    );
    expect(messages.map((m) => m.messageNumber)).toEqual([...messages.keys()].map((i) => (i < 1 ? 1 : i + 2)));
  });

  test('decodes GStreamer 1.22', () => {
    const messages = decodeEveryWay(hex(GSTREAMER_PUBLISH));
    expect(commandNames(messages)).toEqual(['connect', 'releaseStream', 'FCPublish', 'createStream', 'publish']);
    expect(messages.some((m) => m.typeId === 9)).toBe(true);
  });
});

describe('headers', () => {
  test('reads the message stream ID as little-endian, all else as big-endian (RTMP 1.0 5.3.1.2.1)', () => {
    expect(summary(decodeEveryWay(hex('04 000102 000001 09 05060708 aa')))).toEqual([[4, 9, 0x08070605, 258, 1]]);
  });

  test.each([
    ['02', 2],
    ['2d', 45],
    ['3f', 63],
    ['00 00', 64],
    ['00 ff', 319],
    ['01 0001', 320],
    ['01 0000', 64],
    ['01 ffff', 65_599],
  ])('reads basic header %s as chunk stream %d', (header, id) => {
    expect(summary(decodeEveryWay(hex(`${header} 000000 000001 08 01000000 aa`)))).toEqual([[id, 8, 1, 0, 1]]);
  });

  test('adds the delta of types 1 and 2, and repeats it for type 3', () => {
    const bytes = hex(
      '04 001000 000001 08 01000000 a0  44 000014 000001 08 a1  84 000015 a2  c4 a3  c4 a4  44 000001 000002 09 a5a5',
    );
    expect(summary(decodeEveryWay(bytes))).toEqual([
      [4, 8, 1, 4096, 1],
      [4, 8, 1, 4116, 1],
      [4, 8, 1, 4137, 1],
      [4, 8, 1, 4158, 1],
      [4, 8, 1, 4179, 1],
      [4, 9, 1, 4180, 2],
    ]);
  });

  test('takes a small timestamp of type 0 as the delta of type 3, and a large one as no delta', () => {
    expect(decode([hex('04 000028 000001 08 01000000 a0 c4 a1 c4 a2')]).all.map((m) => m.timestampMs)).toEqual([
      40, 80, 120,
    ]);
    expect(decode([hex('04 0003e9 000001 08 01000000 a0 c4 a1')]).all.map((m) => m.timestampMs)).toEqual([1001, 1001]);
  });

  test('delivers a message that ends with its chunk, and an empty one, without more bytes', () => {
    const body = 'ab'.repeat(256);
    const bytes = hex(
      `04 000000 000100 09 01000000 ${body.slice(0, 256)} c4 ${body.slice(256)} 05 000000 000000 08 01000000 c5`,
    );
    expect(summary(decodeEveryWay(bytes))).toEqual([
      [4, 9, 1, 0, 256],
      [5, 8, 1, 0, 0],
      [5, 8, 1, 0, 0],
    ]);
  });

  test('reports byte offset and number of each message', () => {
    const messages = decode([hex('04 000000 000001 09 01000000 aa'), hex('c4 bb c4 cc')]).all;
    expect(messages.map((m) => [m.messageNumber, m.byteOffset])).toEqual([
      [1, 0],
      [2, 13],
      [3, 15],
    ]);
  });

  test.each([
    ['2', '84 000000 aa'],
    ['3', 'c4 aa'],
  ])('refuses type %s on a new chunk stream and names it', (_type, bytes) => {
    expect(() => decode([hex(bytes)])).toThrow(expect.objectContaining({ code: 'RTMP_CHUNK_WITHOUT_HEADER' }));
  });
});

describe('extended timestamps', () => {
  const body = Buffer.from(new Uint8Array(300).map((_, i) => i + 1)).toString('hex');
  const chunked = (time: string, repeat: string, format = '04') =>
    hex(
      `${format} ffffff 00012c 09 ${format === '04' ? '01000000' : ''} ${time} ${body.slice(0, 256)} c4 ${repeat} ${body.slice(256, 512)} c4 ${repeat} ${body.slice(512)}`,
    );

  test.each([
    ['repeated', '01000000', '01000000'],
    ['left out', '01000000', ''],
    ['repeated, value below 2^24', '00ffffff', '00ffffff'],
    ['left out, at the end of 32 bits', 'ffffffff', ''],
  ])('reads timestamps %s in type 3', (_name, time, repeat) => {
    const messages = decodeEveryWay(chunked(time, repeat));
    expect(messages).toHaveLength(1);
    expect(messages[0]?.timestampMs).toBe(Number.parseInt(time, 16));
    expect(Buffer.from(messages[0]?.payload ?? []).toString('hex')).toBe(body);
  });

  test('reads one in type 1 as a delta, which wraps', () => {
    const start = hex('04 ffffff 000001 09 01000000 fffffff0 aa');
    const bytes = new Uint8Array([...start, ...chunked('01000000', '01000000', '44')]);
    expect(decodeEveryWay(bytes).map((m) => m.timestampMs)).toEqual([0xfffffff0, 0x00fffff0]);
  });

  test('ends with a later header without one: equal payload bytes stay payload', () => {
    const tail = '00000005';
    const bytes = hex(
      `04 ffffff 000001 09 01000000 01000000 aa 44 000005 000084 09 ${'bb'.repeat(128)} c4 ${tail} c4 ${'cc'.repeat(128)} c4 ${tail}`,
    );
    const messages = decodeEveryWay(bytes);
    expect(messages.map((m) => [m.timestampMs, Buffer.from(m.payload).toString('hex').slice(-8)])).toEqual([
      [0x1000000, 'aa'],
      [0x1000005, tail],
      [0x100000a, tail],
    ]);
  });

  test('detects an omitted one at the first byte that differs', () => {
    const payload = `${'aa'.repeat(128)}010000ff`;
    const bytes = hex(`04 ffffff 000084 09 01000000 01000000 ${payload.slice(0, 256)} c4 ${payload.slice(256)}`);
    const messages = decodeEveryWay(bytes);
    expect(Buffer.from(messages[0]?.payload ?? []).toString('hex')).toBe(payload);
  });

  test('does not wait for an omitted one if the last chunk is shorter', () => {
    const payload = `${'aa'.repeat(128)}17`;
    const bytes = hex(`04 ffffff 000081 09 01000000 01000000 ${payload.slice(0, 256)} c4 17`);
    expect(decode([bytes]).all).toHaveLength(1);
  });
});

describe('limits', () => {
  const code = (bytes: Iterable<Uint8Array>, limits: Partial<RtmpLimits> = {}): string | undefined => {
    try {
      decode(bytes, limits);
    } catch (error) {
      if (error instanceof WireError) return error.code;
      throw error;
    }
    return undefined;
  };

  test('accepts a message at the limit and refuses one more byte', () => {
    expect(code([hex('04 000000 800000 09 01000000')])).toBeUndefined();
    expect(code([hex('04 000000 800001 09 01000000')])).toBe('RTMP_MESSAGE_TOO_LONG');
    expect(code([hex('03 000000 010000 14 00000000')])).toBeUndefined();
    expect(code([hex('03 000000 010001 14 00000000')])).toBe('RTMP_MESSAGE_TOO_LONG');
    expect(code([hex('03 000000 010001 ff 00000000')])).toBe('RTMP_MESSAGE_TOO_LONG');
  });

  test('repeats the error on every later push', () => {
    const decoder = new ChunkDecoder(new Messages(), DEFAULT_RTMP_LIMITS);
    expect(() => decoder.push(hex('c4'))).toThrow(WireError);
    expect(() => decoder.push(hex('04 000000 000001 09 01000000 aa'))).toThrow(WireError);
  });

  test('refuses too many chunk streams', () => {
    const open = (count: number) =>
      new Uint8Array(
        [...Array(count).keys()].flatMap((i) => [...hex('00'), i, ...hex('000000 000001 09 01000000 aa')]),
      );
    expect(code([open(64)])).toBeUndefined();
    expect(code([open(65)])).toBe('RTMP_TOO_MANY_CHUNK_STREAMS');
  });

  test('bounds the memory of unfinished messages until the limit is raised', () => {
    const messages = new Messages();
    const decoder = new ChunkDecoder(messages, DEFAULT_RTMP_LIMITS);
    decoder.push(hex('02 000000 000004 01 00000000 00ffffff 04 000000 400000 09 01000000'));
    for (let i = 0; i < 15; i++) decoder.push(new Uint8Array(16_384));
    expect(decoder.heldBytes).toBeGreaterThanOrEqual(15 * 16_384);
    decoder.raiseLimits();
    for (let i = 15; i < 256; i++) decoder.push(new Uint8Array(16_384));
    expect(messages.all).toHaveLength(1);
    expect(decoder.heldBytes).toBe(0);

    const bounded = new ChunkDecoder(new Messages(), DEFAULT_RTMP_LIMITS);
    bounded.push(hex('02 000000 000004 01 00000000 00ffffff 04 000000 400000 09 01000000'));
    expect(() => {
      for (let i = 0; i < 17; i++) bounded.push(new Uint8Array(16_384));
    }).toThrow(expect.objectContaining({ code: 'RTMP_UNFINISHED_TOO_LARGE' }));
  });

  test('does not pin a network buffer for one byte of an unfinished message', () => {
    const decoder = new ChunkDecoder(new Messages(), DEFAULT_RTMP_LIMITS);
    decoder.push(hex('02 000000 000004 01 00000000 00010000'));
    // 60 KB of other messages in each buffer, and one byte of an endless message.
    const filler = new Uint8Array([...hex('05 000000 00ea60 08 01000000'), ...new Uint8Array(60_000)]);
    decoder.push(new Uint8Array([...filler, ...hex('04 000000 100000 09 01000000 aa')]));
    expect(decoder.heldBytes).toBeLessThan(1000);
  });

  test('a chunk size of 1 is accepted within the work budget and refused beyond it', () => {
    const one = hex('02 000000 000004 01 00000000 00000001');
    const tiny = (count: number) => {
      const bytes = new Uint8Array(11 + 2 * count);
      bytes.set(hex('04 000000 0f4240 09 01000000').subarray(0, 12));
      let at = 12;
      while (at < bytes.length) {
        bytes[at++] = 0xaa;
        if (at < bytes.length) bytes[at++] = 0xc4;
      }
      return bytes;
    };
    const limits = { freeChunks: 1000, unfinishedBytesBeforePublish: 16 * 1024 * 1024 };
    expect(code([one, tiny(1000)], limits)).toBeUndefined();
    expect(code([one, tiny(2000)], limits)).toBe('RTMP_CHUNKS_TOO_SMALL');
  });
});

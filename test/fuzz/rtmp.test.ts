/**
 * Damaged RTMP against handshake, chunk decoder, AMF and session: nothing but WireError leaves them, a cut changes nothing,
 * and what comes out is bounded. `FUZZ_SECONDS=60 npm test -- test/fuzz/rtmp` looks longer.
 */
import { WireError } from '../../src/bytes/wire-error.js';
import { AmfDate, type AmfValue, isAmfObject } from '../../src/rtmp/amf/amf-value.js';
import { decodeAmf0 } from '../../src/rtmp/amf/amf0-decoder.js';
import { EcmaArray, encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { decodeAmf3 } from '../../src/rtmp/amf/amf3-decoder.js';
import { ChunkDecoder } from '../../src/rtmp/chunk-decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunk-encoder.js';
import { ClientHandshake } from '../../src/rtmp/handshake/client-handshake.js';
import { ServerHandshake } from '../../src/rtmp/handshake/server-handshake.js';
import { DEFAULT_AMF_LIMITS, DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../../src/rtmp/limits.js';
import { SESSION_TABLE } from '../../src/rtmp/session-states.js';
import { fuzz } from '../support/fuzz.js';
import { ClientPeer, counting, hex, join, Messages, pieces, ServerPeer } from '../unit/rtmp/peers.js';
import { FFMPEG_C1, FFMPEG_PUBLISH, GSTREAMER_PUBLISH, SCHEME_1_C1 } from '../unit/rtmp/vectors.js';

/** Small enough that damaged streams reach them. */
const LIMITS: RtmpLimits = {
  ...DEFAULT_RTMP_LIMITS,
  messageBytes: 20_000,
  commandBytes: 2000,
  chunkStreams: 6,
  unfinishedBytesBeforePublish: 6000,
  unfinishedBytes: 12_000,
  freeChunks: 60,
  ignoredMessages: 5,
  messageStreams: 4,
};

/** Everything a client of ours writes in a session with some of everything in it. */
function clientBytes(options: ConstructorParameters<typeof ClientPeer>[0]): Uint8Array {
  const server = new ServerPeer();
  const client = new ClientPeer(options);
  join(server, client);
  client.session.start();
  client.session.sendMetadata({ width: 1280, nested: { list: [1, 'a'] } });
  for (let i = 0; i < 4; i++) {
    client.session.sendVideo(i * 33, new Uint8Array(150 + i * 90).fill(0x17 + i));
    client.session.sendAudio(i * 33 + 5, new Uint8Array(20).fill(0xaf));
  }
  client.session.sendCommand(0, '_checkbw', 9, null);
  client.session.close();
  return new Uint8Array(Buffer.concat(client.writes));
}

const HANDSHAKE = 3073;
const SESSIONS = [
  clientBytes({ chunkSize: 128 }),
  clientBytes({ headers: 'delta', chunkSize: 200, timestampOffsetMs: 16_777_180 }),
  clientBytes({ headers: 'delta', chunkSize: 128, timestampOffsetMs: 2 ** 32 - 50, omitRepeatedTimestamps: true }),
  clientBytes({ mediaChunkStreamId: 400, fourCcList: ['hvc1'], chunkSize: 128 }),
];
const CHUNKS = [
  ...SESSIONS.map((bytes) => bytes.subarray(HANDSHAKE)),
  ...[FFMPEG_PUBLISH, GSTREAMER_PUBLISH].map((vector) => hex(vector).subarray(0, 900)),
  new Uint8Array(
    new ChunkEncoder().encode(
      6,
      22,
      1,
      9,
      hex('09 000002 000064 00 000000 1701 0000000d 08 000001 000078 00 000000 af'),
    ),
  ),
  hex(
    '02 000000 000004 01 00000000 00000010 06 000000 000020 09 01000000 00112233445566778899aabbccddeeff 02 000000 000004 02 00000000 00000006',
  ),
  hex('46 000021 000002 09 1700 c6 1701 86 000005 1702 00 00 ffffff 000003 08 01000000 01234567 aaaaaa'),
];
const AMF0 = [
  encodeAmf0('connect', 1, { app: 'live', fourCcList: ['a', 'b'], n: null, u: undefined, d: new AmfDate(5) }),
  encodeAmf0('@setDataFrame', 'onMetaData', new EcmaArray({ width: 1, stereo: true, deep: { er: { still: [1] } } })),
  hex('10 0001 43 0001 61 05 0000 09 07 0000 0b 4276bf2d6c000000 0000 0c 00000001 61 0f 00000001 61 0d'),
  hex('11 09 05 01 0a 13 01 0361 0401 0a 01 0402 11 11 05 00 06 0361 0401 0402 03'),
];
const AMF3 = [
  hex('09 05 01 0a 13 01 0361 0401 0a 01 0402'),
  hex('0a 0b 01 0361 06 05 6869 0362 0c 05 0102 01'),
  hex('11 05 00 06 0361 0401 0402 03'),
  hex('10 05 00 01 0d 03 00 ffffffff 0f 03 00 3ff8000000000000'),
  hex('09 03 0361 08 01 4276bf2d6c000000 01 0b 03 61'),
];

const codeOf = (run: () => void): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return `${error.code} at ${error.offset}`;
    throw error;
  }
  return 'none';
};

interface Decoder {
  push(bytes: Uint8Array): void;
}

/** Messages, faults and the end, as one text. The end of a bound on work may come earlier when bytes come in pieces. */
function transcript(make: (messages: Messages) => Decoder, parts: Iterable<Uint8Array>): { text: string; end: string } {
  const messages = new Messages();
  const decoder = make(messages);
  const end = codeOf(() => {
    for (const part of parts) decoder.push(part.slice());
  });
  const text = messages.all.map((m) => JSON.stringify({ ...m, payload: Buffer.from(m.payload).toString('latin1') }));
  return { text: [...text, ...messages.faults].join('\n'), end };
}

/** The property: whole, in bytes, and in pieces of 7 the same comes out. Bounds judged after each buffer are excepted. */
function cutsChangeNothing(make: (messages: Messages) => Decoder, input: Uint8Array): void {
  const whole = transcript(make, [input]);
  const judgedPerBuffer = (end: string) => /^RTMP_(UNFINISHED|CHUNKS)/.test(end);
  for (const size of [1, 7]) {
    const cut = transcript(make, pieces(input, size));
    if (judgedPerBuffer(whole.end) || judgedPerBuffer(cut.end)) continue;
    if (cut.text !== whole.text || cut.end !== whole.end)
      throw new Error(`in pieces of ${size}: ${cut.end}, whole: ${whole.end}`);
  }
}

/** Counts what a walker of the value would see, and its depth. */
function weigh(value: AmfValue, depth = 0): { entries: number; depth: number } {
  const inner = Array.isArray(value) ? value : isAmfObject(value) ? Object.values(value) : [];
  let entries = inner.length;
  let deepest = depth;
  for (const element of inner) {
    const below = weigh(element, depth + 1);
    entries += below.entries;
    deepest = Math.max(deepest, below.depth);
  }
  return { entries, depth: deepest };
}

function checkAmf(values: readonly AmfValue[]): void {
  for (const value of values) {
    const { entries, depth } = weigh(value);
    if (entries > DEFAULT_AMF_LIMITS.entries || depth > DEFAULT_AMF_LIMITS.depth) {
      throw new Error(`${entries} entries, ${depth} deep`);
    }
    JSON.stringify(value);
  }
}

describe('nothing but WireError, and what comes out is bounded', () => {
  test('server handshake', () => {
    const seeds = [FFMPEG_C1, SCHEME_1_C1].map(
      (c1) => new Uint8Array([3, ...Buffer.from(c1, 'base64'), ...new Uint8Array(1536)]),
    );
    const decode = (input: Uint8Array): void => {
      let written = 0;
      const handshake = new ServerHandshake(counting(1), (bytes) => {
        written += bytes.length;
      });
      const taken = handshake.push(input.slice());
      if (taken > HANDSHAKE || written > HANDSHAKE || handshake.done !== (taken === HANDSHAKE))
        throw new Error('bounds');
    };
    expect(fuzz({ seeds, rounds: 300, decode })).toBeUndefined();
  });

  test('client handshake', () => {
    const decode = (input: Uint8Array): void => {
      const handshake = new ClientHandshake(counting(1), () => undefined, { digest: 1 });
      handshake.start();
      if (handshake.push(input) > HANDSHAKE) throw new Error('bounds');
    };
    expect(fuzz({ seeds: [new Uint8Array(HANDSHAKE).fill(3)], rounds: 500, decode })).toBeUndefined();
  });

  test('chunks: a cut changes nothing, and memory stays within its bound', () => {
    const make = (messages: Messages): Decoder => {
      const decoder = new ChunkDecoder(messages, LIMITS);
      return {
        push: (bytes) => {
          decoder.push(bytes);
          if (decoder.heldBytes > LIMITS.unfinishedBytesBeforePublish) throw new Error(`holds ${decoder.heldBytes}`);
        },
      };
    };
    expect(fuzz({ seeds: CHUNKS, rounds: 800, decode: (input) => cutsChangeNothing(make, input) })).toBeUndefined();
  });

  test('AMF0: what decodes is small, finite, and reads back when written', () => {
    const decode = (input: Uint8Array): void => {
      const values = decodeAmf0(input, DEFAULT_AMF_LIMITS);
      checkAmf(values);
      // A body may hold byte arrays by way of AMF3, and a text of broken UTF-8 grows beyond the bound when written.
      const writable = values.filter((value) => !JSON.stringify([value]).includes('\ufffd') && !holdsBytes(value));
      const again = decodeAmf0(encodeAmf0(...writable), { ...DEFAULT_AMF_LIMITS, entries: 4096 });
      if (JSON.stringify(again) !== JSON.stringify(writable)) throw new Error('does not read back');
    };
    expect(fuzz({ seeds: AMF0, rounds: 10_000, decode })).toBeUndefined();
  });

  test('AMF3', () => {
    const decode = (input: Uint8Array): void => checkAmf([decodeAmf3(input, DEFAULT_AMF_LIMITS)]);
    expect(fuzz({ seeds: AMF3, rounds: 10_000, decode })).toBeUndefined();
  });

  test('a session: answers in proportion, states of the table, one unpublish for each publish', () => {
    const decode = (input: Uint8Array): void => {
      const server = new ServerPeer(undefined, LIMITS);
      const { session } = server;
      session.push(SESSIONS[0]?.slice(0, HANDSHAKE) ?? input);
      const before = server.writes.length;
      const failure = codeOf(() => {
        for (const piece of pieces(input, 251)) session.push(piece.slice());
      });
      const written = server.writes.slice(before).reduce((sum, bytes) => sum + bytes.length, 0);
      if (written > 1000 + input.length * 12) throw new Error(`${written} bytes for ${input.length}`);
      if (!(session.state in SESSION_TABLE)) throw new Error(`state ${session.state}`);
      const open = server.publishes.length - server.unpublishes.length;
      if (open !== (session.state === 'publishing' ? 1 : 0))
        throw new Error(`${open} open, ${session.state}, ${failure}`);
    };
    expect(fuzz({ seeds: CHUNKS, rounds: 500, decode })).toBeUndefined();
  });

  test('a client session facing a damaged server', () => {
    const server = new ServerPeer();
    const answered = new ClientPeer();
    join(server, answered);
    answered.session.start();
    const seed = new Uint8Array(Buffer.concat(server.writes.slice(1)));
    const hello = server.writes[0] as Uint8Array;
    const decode = (input: Uint8Array): void => {
      const client = new ClientPeer();
      client.session.start();
      client.session.push(hello.slice());
      client.session.push(input.slice());
      if (client.publishing > 1) throw new Error('published twice');
    };
    expect(fuzz({ seeds: [seed], rounds: 300, decode })).toBeUndefined();
  });
});

function holdsBytes(value: AmfValue): boolean {
  if (value instanceof Uint8Array) return true;
  const inner = Array.isArray(value) ? value : isAmfObject(value) ? Object.values(value) : [];
  return inner.some(holdsBytes);
}

describe('canaries: a planted fault is caught', () => {
  test('a string reader that believes its length', () => {
    const decode = (input: Uint8Array): void => {
      const values = decodeAmf0(input, DEFAULT_AMF_LIMITS);
      const at = input.indexOf(2);
      if (at >= 0) new DataView(input.buffer, input.byteOffset).getUint8(at + 2 + (input[at + 1] as number));
      checkAmf(values);
    };
    expect(fuzz({ seeds: AMF0, rounds: 10_000, decode })?.error).toBeInstanceOf(RangeError);
  });

  test('an array that believes its count', () => {
    const decode = (input: Uint8Array): void => {
      if (input[0] === 0x0a) new Uint8Array(new DataView(input.buffer, input.byteOffset).getUint32(1) * 4096);
      decodeAmf0(input, DEFAULT_AMF_LIMITS);
    };
    const seeds = [hex('0a 00000003 050505'), ...AMF0];
    // The engine's own error, which is of another realm than the test's.
    expect(fuzz({ seeds, rounds: 10_000, decode })?.error).toMatchObject({ name: 'RangeError' });
  });

  test('a chunk decoder that loses a byte when a buffer ends inside a header', () => {
    const make = (messages: Messages): Decoder => {
      const decoder = new ChunkDecoder(messages, LIMITS);
      let pushes = 0;
      return { push: (bytes) => decoder.push(++pushes % 50 === 0 && bytes.length > 1 ? bytes.subarray(1) : bytes) };
    };
    expect(fuzz({ seeds: CHUNKS, rounds: 500, decode: (input) => cutsChangeNothing(make, input) })).toBeDefined();
  });

  test('a chunk decoder that adds a delta again for each chunk of a message', () => {
    const make = (messages: Messages): Decoder => {
      let splits = 0;
      const decoder = new ChunkDecoder(
        {
          onMessage: (message) =>
            messages.onMessage({ ...message, timestampMs: message.timestampMs + (splits > 400 ? 1 : 0) }),
        },
        LIMITS,
      );
      return {
        push: (bytes) => {
          splits++;
          decoder.push(bytes);
        },
      };
    };
    expect(fuzz({ seeds: CHUNKS, rounds: 500, decode: (input) => cutsChangeNothing(make, input) })).toBeDefined();
  });
});

/** Compares our chunks and AMF with node-media-server's, for input that both accept. */
import { createRequire } from 'node:module';
import type { AmfValue } from '../../../src/rtmp/amf/amf-value.js';
import { decodeAmf0 } from '../../../src/rtmp/amf/amf0-decoder.js';
import { encodeAmf0 } from '../../../src/rtmp/amf/amf0-encoder.js';
import { ChunkDecoder } from '../../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../../src/rtmp/chunks/encoder.js';
import { ClientHandshake } from '../../../src/rtmp/handshake/client-handshake.js';
import { DEFAULT_AMF_LIMITS, DEFAULT_RTMP_LIMITS } from '../../../src/rtmp/limits.js';
import { ClientPeer, counting, hex, Messages, pieces } from './peers.js';
import { FFMPEG_PUBLISH, GSTREAMER_PUBLISH } from './vectors.js';

interface Theirs {
  parserData(bytes: Buffer): unknown;
  onOutputCallback: (bytes: Buffer) => void;
  onPacketCallback: (packet: { codec_type: number; dts: number; size: number }) => void;
  packetHandler: () => void;
  controlHandler(): unknown;
  handshakeState: number;
  parserPacket: {
    clock: number;
    payload: Buffer;
    header: { cid: number; type: number; length: number; stream_id: number };
  };
}

const require = createRequire(import.meta.url);
const Rtmp = require('node-media-server/src/protocol/rtmp.js') as {
  new (): Theirs;
  chunksCreate(packet: unknown): Buffer;
};
const Amf = require('node-media-server/src/protocol/amf.js') as {
  amf0EncodeOne(value: unknown): Buffer;
  amf0DecodeOne(bytes: Buffer): { value: unknown };
};

type Told = [chunkStream: number, type: number, stream: number, time: number, payload: string];
const SET_CHUNK_SIZE = 1;
const HANDSHAKE_DONE = 3;

function theirs(parts: Iterable<Uint8Array>): Told[] {
  const told: Told[] = [];
  const rtmp = new Rtmp();
  rtmp.handshakeState = HANDSHAKE_DONE;
  rtmp.packetHandler = () => {
    const { header, clock, payload } = rtmp.parserPacket;
    if (header.type === SET_CHUNK_SIZE) rtmp.controlHandler();
    else {
      told.push([header.cid, header.type, header.stream_id, clock, payload.toString('latin1', 0, header.length)]);
    }
  };
  for (const part of parts) rtmp.parserData(Buffer.from(part));
  return told;
}

function ours(parts: Iterable<Uint8Array>): Told[] {
  const messages = new Messages();
  const decoder = new ChunkDecoder(messages, DEFAULT_RTMP_LIMITS);
  for (const part of parts) decoder.push(part.slice());
  return messages.all.map((m) => [
    m.chunkStreamId,
    m.typeId,
    m.messageStreamId,
    m.timestampMs,
    Buffer.from(m.payload).toString('latin1'),
  ]);
}

/** Input that both read alike: no three-byte IDs, no type 3 that begins a message right after type 0, no empty messages. */
function stream(seed: number): Uint8Array {
  const random = counting(seed);
  const byte = () => random(1)[0] as number;
  const chunkSize = 64 + byte() * 8;
  const encoder = new ChunkEncoder({ headers: byte() % 2 === 0 ? 'full' : 'delta' });
  const parts: Uint8Array[] = [
    encoder.encode(2, SET_CHUNK_SIZE, 0, 0, new Uint8Array([0, 0, chunkSize >> 8, chunkSize & 255])),
  ];
  encoder.setChunkSize(chunkSize);
  let time = byte() % 3 === 0 ? 0xffff00 : 0;
  for (let i = 0; i < 40; i++) {
    time += byte() % 8 === 0 ? 0 : byte();
    const kind = byte();
    const body = random(1 + (kind % 4 === 0 ? byte() * 20 : byte()));
    parts.push(encoder.encode(kind % 3 === 0 ? 4 : kind % 3 === 1 ? 6 : 73, kind % 2 === 0 ? 9 : 8, 1, time, body));
  }
  return new Uint8Array(Buffer.concat(parts));
}

test('reads the same messages from two hundred streams', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const bytes = stream(seed);
    expect({ seed, messages: ours(pieces(bytes, 1 + (seed % 700))) }).toEqual({ seed, messages: theirs([bytes]) });
  }
});

test.each([
  ['FFmpeg', FFMPEG_PUBLISH],
  ['GStreamer', GSTREAMER_PUBLISH],
])('the same messages from the bytes of %s', (_name, vector) => {
  expect(ours([hex(vector)])).toEqual(theirs([hex(vector)]));
});

test('reads back their chunks', () => {
  const payload = counting(3)(150_000);
  const header = { fmt: 0, cid: 5, timestamp: 0x1234567, length: payload.length, type: 9, stream_id: 1 };
  const bytes = Rtmp.chunksCreate({ header, payload: Buffer.from(payload) });
  const chunkSize = new ChunkEncoder().encode(2, SET_CHUNK_SIZE, 0, 0, hex('0000ffff'));
  // Their writer advances its offset too early, so only complete chunks are reliable.
  const [message] = ours([chunkSize, bytes]);
  expect(message?.slice(0, 4)).toEqual([5, 9, 1, 0x1234567]);
  expect(message?.[4].slice(0, 131_070)).toBe(Buffer.from(payload).toString('latin1', 0, 131_070));
});

test.each([0, 1] as const)('verifies the signed answer of their server to our digest of scheme %d', (digest) => {
  const rtmp = new Rtmp();
  const client = new ClientHandshake(counting(12), digest);
  rtmp.onOutputCallback = (bytes) => {
    const { reply } = client.push(bytes);
    if (reply !== undefined) rtmp.parserData(Buffer.from(reply));
  };
  rtmp.parserData(Buffer.from(client.start()));
  expect(client.done).toBe(true);
  expect(client.serverVerified).toBe(true);
  expect(rtmp.handshakeState).toBe(HANDSHAKE_DONE);
});

test('publishes with our client to their server', () => {
  const rtmp = new Rtmp();
  const client = new ClientPeer();
  const packets: [number, number, number][] = [];
  const queue: (() => void)[] = [];
  const seal = () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
  };
  rtmp.onOutputCallback = (bytes) => queue.push(() => client.session.push(new Uint8Array(bytes)));
  rtmp.onPacketCallback = (packet) => packets.push([packet.codec_type, packet.dts, packet.size]);
  client.deliver = (bytes) => queue.push(() => rtmp.parserData(Buffer.from(bytes)));
  client.session.start();
  seal();
  expect(client.session.handshake.serverEchoed).toBe(true);
  expect(client.isPublishing).toBe(true);
  client.session.sendVideo(33, new Uint8Array(9000).fill(0x17));
  client.session.sendAudio(35, new Uint8Array(200).fill(0xaf));
  seal();
  expect(packets).toEqual([
    [9, 33, 9000],
    [8, 35, 200],
  ]);
});

describe('AMF0', () => {
  // Their strings are measured in UTF-16 units and their ECMA arrays are one byte too long, so only ASCII objects are compared.
  const values: AmfValue[] = [
    0,
    -1.5,
    1e300,
    true,
    false,
    null,
    undefined,
    '',
    'text',
    { a: 1, b: 'two', c: { d: null, e: true }, f: undefined },
    { app: 'live', tcUrl: 'rtmp://h/live', audioCodecs: 3575 },
  ];

  test.each(values.map((value, i) => [i, value]))('encodes and decodes value %d alike', (_i, value) => {
    expect(decodeAmf0(new Uint8Array(Amf.amf0EncodeOne(value)), DEFAULT_AMF_LIMITS)).toEqual([value]);
    expect(Amf.amf0DecodeOne(Buffer.from(encodeAmf0(value))).value).toEqual(value);
  });
});

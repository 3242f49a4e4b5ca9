/** Each fixture as RTMP chunks: our decoder and that of node-media-server read the same messages, bytes and times. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { ChunkDecoder } from '../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import { MESSAGE_TYPE } from '../../src/rtmp/protocol.js';
import { type Fixture, messagesOf } from './fixtures.js';
import type { SynthMessage } from './synth-stream.js';

interface Theirs {
  parserData(bytes: Buffer): unknown;
  packetHandler: () => void;
  controlHandler(): unknown;
  handshakeState: number;
  parserPacket: { clock: number; payload: Buffer; header: { type: number; length: number } };
}

const Rtmp = createRequire(import.meta.url)('node-media-server/src/protocol/rtmp.js') as { new (): Theirs };
const HANDSHAKE_DONE = 3;
const TYPES = { video: MESSAGE_TYPE.video, audio: MESSAGE_TYPE.audio, data: MESSAGE_TYPE.dataAmf0 } as const;
/** Limit per fixture: later chunks exercise nothing new. */
const MESSAGES = 1500;

/** Fixtures that node-media-server does not read correctly. */
const THEIRS_FAILS = new Map([
  ['clean-stamps-cross-2-32', 'it reads nothing more once the time stamp has passed 2^32'],
]);

/** A digest of all messages read. */
class Read {
  readonly #hash = createHash('sha256');
  messages = 0;
  bytes = 0;

  add(type: number, timeMs: number, payload: Uint8Array): void {
    this.#hash.update(`${type} ${timeMs} ${payload.length}\n`).update(payload);
    this.messages++;
    this.bytes += payload.length;
  }

  get told() {
    return { messages: this.messages, bytes: this.bytes, digest: this.#hash.copy().digest('hex') };
  }
}

function* firstOf(messages: Iterable<SynthMessage>): Generator<SynthMessage> {
  let count = 0;
  for (const message of messages) {
    // node-media-server drops messages without a body.
    if (message.payload.length === 0) continue;
    if (++count > MESSAGES) return;
    yield message;
  }
}

/** Declares a test for each fixture. */
export function testByChunks(fixtures: readonly Fixture[]): void {
  test.each(fixtures.map((fixture, i) => [fixture.name, fixture, i] as const))('%s', (_name, fixture, i) =>
    compare(fixture, i),
  );
}

async function compare(fixture: Fixture, i: number): Promise<void> {
  const sent = new Read();
  const ours = new Read();
  const theirs = new Read();
  const decoder = new ChunkDecoder(
    {
      takeMessage: ({ typeId, timestampMs, payload }) => {
        if (typeId !== MESSAGE_TYPE.setChunkSize) ours.add(typeId, timestampMs, payload.copy(0, payload.length));
      },
      reportFault: (code) => {
        throw new Error(code);
      },
    },
    DEFAULT_RTMP_LIMITS,
  );
  const rtmp = new Rtmp();
  rtmp.handshakeState = HANDSHAKE_DONE;
  rtmp.packetHandler = () => {
    const { header, clock, payload } = rtmp.parserPacket;
    if (header.type === MESSAGE_TYPE.setChunkSize) rtmp.controlHandler();
    else theirs.add(header.type, clock, payload.subarray(0, header.length));
  };
  const feed = (bytes: Uint8Array) => {
    decoder.push(bytes.slice());
    rtmp.parserData(Buffer.from(bytes));
  };
  // Chunk sizes of real encoders: the default, ffmpeg, OBS, and one that never splits.
  const chunkSize = [128, 60_000, 4096, 1_000_000][i % 4] ?? 4096;
  // What theirs fails at shows with deltas alone.
  const isDelta = i % 2 === 1 || THEIRS_FAILS.has(fixture.name);
  const encoder = new ChunkEncoder({ headers: isDelta ? 'delta' : 'full' });
  const announced = Buffer.alloc(4);
  announced.writeUInt32BE(chunkSize);
  feed(encoder.encode(2, MESSAGE_TYPE.setChunkSize, 0, 0, announced));
  encoder.setChunkSize(chunkSize);
  for (const { kind, timestampMs, payload } of firstOf(await messagesOf(fixture))) {
    sent.add(TYPES[kind], timestampMs, payload);
    feed(encoder.encode(kind === 'audio' ? 4 : kind === 'video' ? 6 : 5, TYPES[kind], 1, timestampMs, payload));
  }
  expect(ours.told).toEqual(sent.told);
  if (THEIRS_FAILS.has(fixture.name)) expect(theirs.told).not.toEqual(ours.told);
  else expect(theirs.told).toEqual(ours.told);
}

/**
 * Network buffers are reused while recordings wait for the disk: real sockets, the chunk decoder, the taps and the
 * recorder, three connections with one pool. Every byte of every file is compared with what was sent.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Taps } from '../../src/broadcasts/packets/taps.js';
import { PayloadBuffers } from '../../src/bytes/payload-buffers.js';
import { type ByteConsumer, readSocket } from '../../src/ingest/sockets/socket-reader.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { MediaTap } from '../../src/ports/index.js';
import { ChunkDecoder } from '../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import type { RtmpMessage } from '../../src/rtmp/messages/message.js';
import { MESSAGE_TYPE } from '../../src/rtmp/protocol.js';
import { Recorder } from '../../src/vod/recording/recorder.js';
import { seededRandom } from '../support/fuzz.js';
import { memoryLog, realClock, temporaryFolderOfFile } from '../support/store-harness.js';

const MESSAGES = 600;
const random = seededRandom(11);
const NOISE = Buffer.from(Uint8Array.from({ length: 200_160 }, () => Math.floor(random() * 256)));
const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

interface Sent {
  readonly kind: 'audio' | 'video';
  readonly body: Buffer;
}

/** Video frames of many sizes, interleaved with audio. */
function messages(): Sent[] {
  return Array.from({ length: MESSAGES }, (_, n) => {
    const isVideo = n % 3 !== 0;
    const size = isVideo ? 10 + Math.floor(random() ** 3 * 150_000) : 200 + Math.floor(random() * 200);
    const body = Buffer.from(NOISE.subarray(Math.floor(random() * 50_000)).subarray(0, size));
    body.set(isVideo ? [0x27, 1] : [0xaf, 1]);
    return { kind: isVideo ? 'video' : 'audio', body };
  });
}

/** In chunks of 4 KB, with separate chunk streams; audio is interleaved with the chunks of a video frame. */
function wire(sent: readonly Sent[]): Buffer {
  const encoder = new ChunkEncoder({ chunkSize: 4_096 });
  const chunkSize = Buffer.from([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 16, 0]);
  const encoded = sent.map(({ kind, body }, n) =>
    kind === 'video'
      ? encoder.encode(6, MESSAGE_TYPE.video, 1, n, body)
      : encoder.encode(4, MESSAGE_TYPE.audio, 1, n, body),
  );
  return Buffer.concat([chunkSize, ...encoded]);
}

class Receiver implements ByteConsumer {
  readonly keepsPayload = true;
  readonly taps: Taps;
  bytesReceived = 0;
  onMessage: () => void = () => undefined;
  readonly #decoder: ChunkDecoder;

  constructor(buffers: PayloadBuffers) {
    this.taps = new Taps(buffers);
    this.#decoder = new ChunkDecoder({ onMessage: (message) => this.#take(message) }, DEFAULT_RTMP_LIMITS);
    this.#decoder.raiseLimits();
  }

  #take({ typeId, timestampMs, payload }: RtmpMessage): void {
    this.taps.packet(typeId === MESSAGE_TYPE.video ? 'video' : 'audio', timestampMs, payload);
    this.onMessage();
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    this.bytesReceived += to - from;
    this.#decoder.read(bytes, from, to);
  }

  seal(bytes: Uint8Array): void {
    this.#decoder.seal(bytes);
  }

  detach(bytes: Uint8Array): void {
    this.#decoder.detach(bytes);
  }

  refersTo(bytes: Uint8Array): boolean {
    return this.#decoder.refersTo(bytes);
  }
}

/** Keeps views of all payloads without declaring that it does not copy. */
class Keeper implements MediaTap {
  readonly seen: Uint8Array[][] = [];
  isClosed = false;
  packet(_kind: string, _timestampMs: number, payload: Parameters<MediaTap['packet']>[2]): void {
    this.seen.push(payload.views());
  }
  close(): void {
    this.isClosed = true;
  }
}

function bodiesOf(path: string): Buffer[] {
  const bodies: Buffer[] = [];
  const reader = new FlvFileReader({
    tag: (_kind, _time, payload) => void bodies.push(Buffer.from(payload.copy(0, payload.length))),
  });
  reader.push(readFileSync(path));
  expect(reader.end()).toBe(false);
  return bodies;
}

async function send(bytes: Buffer, receiver: Receiver, buffers: PayloadBuffers): Promise<void> {
  const server = createServer();
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  const ended = once(socket, 'end');
  readSocket(socket, receiver, buffers);
  // In pieces, so that disk writes happen in between.
  for (let at = 0; at < bytes.length; at += 40_000) {
    if (!sender.write(bytes.subarray(at, at + 40_000))) await once(sender, 'drain');
  }
  sender.end();
  await ended;
  sender.destroy();
  server.close();
}

test('recordings with shared buffers match what was sent, and so do the bytes that a viewer keeps', async () => {
  let made = 0;
  const buffers = new PayloadBuffers(() => {
    made++;
    return new Uint8Array(64 * 1024);
  });
  const recorder = new Recorder({ folder: folder.path, clock: realClock, log: memoryLog() });
  const streams = ['1', '2', '3'].map((id) => ({ id, sent: messages(), receiver: new Receiver(buffers), count: 0 }));
  const keeper = new Keeper();
  for (const { id, receiver } of streams) {
    mkdirSync(join(folder.path, id), { recursive: true });
    const tap = recorder.open(id, 'live');
    if (tap !== undefined) receiver.taps.attach(tap);
  }
  // A viewer joins in the middle of the third stream and leaves again.
  const third = streams[2];
  if (third === undefined) throw new Error('three streams were made');
  third.receiver.onMessage = () => {
    third.count++;
    if (third.count === 200) third.receiver.taps.attach(keeper);
    if (third.count === 300) third.receiver.taps.detach(keeper);
  };
  const total = streams.map(({ sent }) => wire(sent));
  await Promise.all(streams.map(({ receiver }, n) => send(total[n] ?? Buffer.alloc(0), receiver, buffers)));
  await recorder.close();
  for (const { id, sent } of streams) {
    const [name] = readdirSync(join(folder.path, id));
    const bodies = bodiesOf(join(folder.path, id, name ?? ''));
    expect(bodies).toHaveLength(MESSAGES);
    expect(bodies.every((body, n) => sent[n]?.body.equals(body))).toBe(true);
  }
  expect(keeper.seen).toHaveLength(100);
  expect(keeper.seen.every((views, n) => third.sent[200 + n]?.body.equals(Buffer.concat(views)))).toBe(true);
  // Without reuse, reading would allocate as many buffers as the bytes fill, and recording as many again.
  const filled = total.reduce((sum, bytes) => sum + bytes.length, 0) / (64 * 1024);
  expect(made).toBeLessThan(1.25 * filled);
});

/**
 * Network buffers are reused while messages arrive and recordings wait for the disk: real sockets, the chunk decoder, the packet
 * path and the recorder, three connections with one pool. Every byte of every file is compared with what was sent.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Publication } from '../../src/broadcasts/publication.js';
import type { PartialFrame } from '../../src/bytes/partial-frame.js';
import { PayloadBuffers } from '../../src/bytes/payload-buffers.js';
import type { SliceList } from '../../src/bytes/slices.js';
import { type ByteConsumer, readSocket } from '../../src/ingest/sockets/socket-reader.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { MediaTap } from '../../src/ports/index.js';
import { Recorder } from '../../src/recording/recorder.js';
import { ChunkDecoder } from '../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import type { MessageSink, RtmpMessage } from '../../src/rtmp/messages/message.js';
import { MESSAGE_TYPE } from '../../src/rtmp/protocol.js';
import { newJudge } from '../rules/harness.js';
import { seededRandom } from '../support/fuzz.js';
import { IngestHarness } from '../support/ingest-harness.js';
import { memoryLog, realClock, temporaryFolderOfFile } from '../support/store-harness.js';
import { tappedStream } from '../support/tapped-stream.js';

const MESSAGES = 600;
const random = seededRandom(11);
const NOISE = Buffer.from(Uint8Array.from({ length: 200_160 }, () => Math.floor(random() * 256)));
const folder = temporaryFolderOfFile();
let harness: IngestHarness;
beforeAll(async () => {
  harness = await IngestHarness.open();
});
afterAll(async () => {
  await harness.close();
  folder.remove();
});

interface Sent {
  readonly kind: 'audio' | 'video';
  readonly body: Buffer;
}

/** Video frames of many sizes, and audio. */
function messages(): Sent[] {
  return Array.from({ length: MESSAGES }, (_, n) => {
    const isVideo = n % 3 !== 0;
    const size = isVideo ? 10 + Math.floor(random() ** 3 * 150_000) : 200 + Math.floor(random() * 200);
    const body = Buffer.from(NOISE.subarray(Math.floor(random() * 50_000)).subarray(0, size));
    // AVC and AAC; each fifth frame in the form of Enhanced RTMP.
    if (!isVideo) body.set([0xaf, 1]);
    else if (n % 5 === 0) body.set([0xa3, 0x68, 0x76, 0x63, 0x31]);
    else body.set([0x27, 1]);
    return { kind: isVideo ? 'video' : 'audio', body };
  });
}

const VIDEO_STREAM = 6;
/** A chunk of type 0, and the others of the same message. */
const FIRST_CHUNK = 12 + 4_096;
const CHUNK = 1 + 4_096;

/**
 * In chunks of 4 KB, with separate chunk streams. Long frames are at times interrupted: by the audio message that follows them,
 * which is then complete first, or for good. Returns the bytes, and the messages in the order in which they are complete.
 */
function wire(all: readonly Sent[]): { readonly bytes: Buffer; readonly sent: readonly Sent[] } {
  const encoder = new ChunkEncoder({ chunkSize: 4_096 });
  const out: Buffer[] = [Buffer.from([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 16, 0])];
  const sent: Sent[] = [];
  const encoded = ({ kind, body }: Sent, n: number) =>
    kind === 'video'
      ? encoder.encode(VIDEO_STREAM, MESSAGE_TYPE.video, 1, n, body)
      : encoder.encode(4, MESSAGE_TYPE.audio, 1, n, body);
  for (let n = 0; n < all.length; n++) {
    const message = all[n] as Sent;
    const next = all[n + 1];
    const bytes = encoded(message, n);
    const isLong = message.kind === 'video' && bytes.length > FIRST_CHUNK + 5 * CHUNK;
    const middle = FIRST_CHUNK + CHUNK * (n % 4);
    if (isLong && n % 7 === 0) {
      // The encoder gives it up: it says so (RTMP 1.0 5.4.2), or begins the next one.
      out.push(bytes.subarray(0, middle));
      if (n % 2 === 0) out.push(encoder.encode(2, MESSAGE_TYPE.abort, 0, 0, Uint8Array.of(0, 0, 0, VIDEO_STREAM)));
    } else if (isLong && n % 7 < 4 && next?.kind === 'audio') {
      out.push(bytes.subarray(0, middle), encoded(next, n + 1), bytes.subarray(middle));
      sent.push(next, message);
      n++;
    } else {
      out.push(bytes);
      sent.push(message);
    }
  }
  return { bytes: Buffer.concat(out), sent };
}

class Receiver implements ByteConsumer, MessageSink {
  readonly publication: Publication;
  bytesReceived = 0;
  onComplete: () => void = () => undefined;
  readonly #decoder: ChunkDecoder;

  constructor(buffers: PayloadBuffers, { live, lease }: Awaited<ReturnType<IngestHarness['admit']>>) {
    const settings = { ...harness.deps.settings, record: true };
    this.publication = new Publication({
      live,
      lease,
      judge: newJudge({ mode: 'live' }),
      client: { secure: true, clientName: '', hasStorage: true, heldMs: 0 },
      stream: tappedStream(live.id),
      channel: { notify: () => undefined, closeWith: () => undefined },
      deps: { ...harness.deps, buffers, clock: realClock, settings },
      states: harness.states,
      presence: harness.engine.presence,
      log: memoryLog(),
    });
    this.#decoder = new ChunkDecoder(this, DEFAULT_RTMP_LIMITS);
    this.#decoder.raiseLimits();
  }

  get keepsPayload(): boolean {
    return this.publication.keepsPayload;
  }

  takeMessage(message: RtmpMessage): void {
    message.atMs = realClock.monotonicMs();
    if (message.typeId === MESSAGE_TYPE.video) this.publication.video(message);
    else this.publication.audio(message);
    this.onComplete();
  }

  retainHeaders(_messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean {
    return this.publication.retainHeaders(payload, partial);
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
  const admitted = await Promise.all([1, 2, 3].map(() => harness.admit({ status: 'LIVE' })));
  const streams = admitted.map((publish) => ({
    id: publish.live.id,
    ...wire(messages()),
    receiver: new Receiver(buffers, publish),
    count: 0,
  }));
  const keeper = new Keeper();
  for (const { id, receiver } of streams) {
    mkdirSync(join(folder.path, id), { recursive: true });
    const tap = recorder.open(tappedStream(id), 'live');
    if (tap === undefined) throw new Error('a live broadcast is recorded');
    receiver.publication.attachTap(tap);
  }
  // A viewer joins in the middle of the third stream and leaves again.
  const third = streams[2];
  if (third === undefined) throw new Error('three streams were made');
  third.receiver.onComplete = () => {
    third.count++;
    if (third.count === 200) third.receiver.publication.attachTap(keeper);
    if (third.count === 300) third.receiver.publication.detachTap(keeper);
  };
  await Promise.all(streams.map(({ bytes, receiver }) => send(bytes, receiver, buffers)));
  await recorder.close();
  for (const { id, sent } of streams) {
    const [name] = readdirSync(join(folder.path, id));
    const bodies = bodiesOf(join(folder.path, id, name ?? ''));
    expect(sent.length).toBeLessThan(MESSAGES);
    expect(bodies).toHaveLength(sent.length);
    expect(bodies.findIndex((body, n) => sent[n]?.body.equals(body) !== true)).toBe(-1);
  }
  expect(keeper.seen).toHaveLength(100);
  expect(keeper.seen.every((views, n) => third.sent[200 + n]?.body.equals(Buffer.concat(views)))).toBe(true);
  // Without reuse, reading would take as many buffers as the bytes fill. What the viewer keeps is a sixth of one stream.
  const filled = streams.reduce((sum, { bytes }) => sum + bytes.length, 0) / (64 * 1024);
  expect(made).toBeLessThan(filled / 6);
});

/** Real sockets: all bytes arrive, kept or not, and every used buffer is detached or sealed. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { PayloadBuffers } from '../../../../src/bytes/payload-buffers.js';
import { makeAuthority, makeServerCertificate } from '../../../../src/config/certificates/authority.js';
import { type ReadHandle, ReadPace } from '../../../../src/ingest/sockets/read-pace.js';
import {
  type ByteConsumer,
  readIntoBuffers,
  readSocket,
  readThroughStream,
} from '../../../../src/ingest/sockets/socket-reader.js';
import { seededRandom } from '../../../support/fuzz.js';
import { casesNow } from '../../../support/in-full.js';
import { payloadBuffers } from '../../../support/payload-buffers.js';
import { until } from '../../../support/store-harness.js';

class Collector implements ByteConsumer {
  keepsPayload = false;
  /** Views of what was read while payload was kept, copies of the rest. */
  readonly parts: Uint8Array[] = [];
  readonly detached = new Set<Uint8Array>();
  readonly sealed = new Set<Uint8Array>();
  readonly buffers = new Set<Uint8Array>();
  onRead: () => void = () => undefined;
  bytes = 0;

  get bytesReceived(): number {
    return this.bytes;
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    const part = bytes.subarray(from, to);
    this.parts.push(this.keepsPayload ? part : Uint8Array.from(part));
    this.buffers.add(bytes);
    this.bytes += to - from;
    this.onRead();
  }

  seal(bytes: Uint8Array): void {
    this.sealed.add(bytes);
  }

  detach(bytes: Uint8Array): void {
    this.detached.add(bytes);
  }

  isInMidMessage = true;

  refersTo(): boolean {
    return this.isInMidMessage;
  }

  get all(): Buffer {
    return Buffer.concat(this.parts);
  }
}

const random = seededRandom(7);
const message = Buffer.from(Array.from({ length: 700_000 }, () => Math.floor(random() * 256)));

async function certificate(): Promise<{ cert: string; key: string }> {
  const nowMs = Date.now();
  const { certificate: cert, privateKey: key } = await makeServerCertificate(
    await makeAuthority(['localhost'], nowMs),
    ['localhost'],
    nowMs,
  );
  return { cert, key };
}

/** An accepted socket over TLS or TCP, and its peer. */
async function pair(secure: boolean): Promise<{ accepted: Socket; sender: Socket; close: () => void }> {
  const server = secure ? createTlsServer(await certificate()) : createServer();
  const accepted = once(server, secure ? 'secureConnection' : 'connection') as Promise<[Socket]>;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = secure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  const [socket] = await accepted;
  return {
    accepted: socket,
    sender,
    close: () => {
      sender.destroy();
      socket.destroy();
      server.close();
    },
  };
}

const ways = [
  ['into buffers', true, readIntoBuffers],
  ['into buffers', false, readIntoBuffers],
  ['through the stream', true, readThroughStream],
  ['through the stream', false, readThroughStream],
] as const;

describe.each(casesNow(ways, ([, secure]) => secure))('%s, TLS %s', (_name, secure, read) => {
  test.each([
    ['no payload', () => false],
    ['all payload', () => true],
    ['part of the payload', (bytes: number) => Math.floor(bytes / 90_000) % 2 === 1],
  ])('delivers all bytes when %s is kept', async (_what, keeps) => {
    const { accepted, sender, close } = await pair(secure);
    const collector = new Collector();
    collector.keepsPayload = keeps(0);
    const ended = once(accepted, 'end');
    collector.onRead = () => {
      collector.keepsPayload = keeps(collector.bytes);
    };
    read(accepted, collector, payloadBuffers());
    accepted.resume();
    sender.end(message);
    await ended;
    expect(collector.all.equals(message)).toBe(true);
    // The last buffer may still be in use.
    for (const buffer of [...collector.buffers].slice(0, -1)) {
      expect(collector.detached.has(buffer) || collector.sealed.has(buffer)).toBe(true);
    }
    close();
  });
});

test('reads all connections that keep no payload into one buffer', async () => {
  const pairs = await Promise.all([pair(true), pair(false), pair(true)]);
  const collector = new Collector();
  const ended = pairs.map(({ accepted }) => once(accepted, 'end'));
  for (const { accepted } of pairs) {
    expect(readIntoBuffers(accepted, collector, payloadBuffers())).toBeDefined();
    accepted.resume();
  }
  for (const { sender } of pairs) sender.end(message);
  await Promise.all(ended);
  expect(collector.bytes).toBe(3 * message.length);
  expect(collector.buffers.size).toBe(1);
  for (const { close } of pairs) close();
});

test('delivers bytes that arrived before the reader was attached', async () => {
  const { accepted, sender, close } = await pair(false);
  const collector = new Collector();
  const ended = once(accepted, 'end');
  accepted.unshift(Buffer.from('early '));
  readSocket(accepted, collector, payloadBuffers());
  sender.end('and late');
  await ended;
  expect(collector.all.toString()).toBe('early and late');
  close();
});

test('returns a buffer to the pool when its last message completes after payload is no longer kept', async () => {
  const { accepted, sender, close } = await pair(false);
  const made: Uint8Array[] = [];
  const buffers = new PayloadBuffers(() => {
    const buffer = new Uint8Array(64 * 1024);
    made.push(buffer);
    return buffer;
  });
  const collector = new Collector();
  collector.keepsPayload = true;
  collector.onRead = () => {
    // Payload is kept until the pool's first buffer is in use; the message in that buffer completes later.
    if (made.length > 0) collector.keepsPayload = false;
    if (!collector.keepsPayload && collector.bytes > 500_000) collector.isInMidMessage = false;
  };
  const ended = once(accepted, 'end');
  expect(readIntoBuffers(accepted, collector, buffers)).toBeDefined();
  accepted.resume();
  sender.end(message);
  await ended;
  expect(collector.bytes).toBe(message.length);
  expect(made).toHaveLength(1);
  expect(buffers.take()).toBe(made[0]);
  close();
});

/** How often reading was started and stopped. */
function readsOf(socket: Socket): { started: number; stopped: number } {
  const counts = { started: 0, stopped: 0 };
  const handle = Reflect.get(socket, '_handle') as ReadHandle;
  const { readStart, readStop } = handle;
  handle.readStart = () => {
    counts.started++;
    return readStart.call(handle);
  };
  handle.readStop = () => {
    counts.stopped++;
    return readStop.call(handle);
  };
  return counts;
}

describe.each([true, false])('read at intervals, TLS %s', (secure) => {
  test.each([
    ['no payload', () => false],
    ['all payload', () => true],
    ['part of the payload', (bytes: number) => Math.floor(bytes / 9_000) % 2 === 1],
  ])('delivers all bytes, past the event loop while they are few, when %s is kept', async (_what, keeps) => {
    const { accepted, sender, close } = await pair(secure);
    const collector = new Collector();
    collector.keepsPayload = keeps(0);
    collector.onRead = () => {
      collector.keepsPayload = keeps(collector.bytes);
    };
    const reading = readSocket(accepted, collector, payloadBuffers());
    const reads = readsOf(accepted);
    reading.readAtIntervals(new ReadPace(10));
    await until(() => reads.stopped > 0);
    for (let n = 1; n <= 20; n++) {
      sender.write(message.subarray((n - 1) * 1_000, n * 1_000));
      await until(() => collector.bytes === n * 1_000);
    }
    expect(reads).toEqual({ started: 0, stopped: 1 });
    const ended = once(accepted, 'end');
    sender.end(message.subarray(20_000));
    await ended;
    expect(collector.all.equals(message)).toBe(true);
    reading.readAsItArrives();
    close();
  });
});

test.each([true, false])(
  'bursts of any size come whole and in order while turns and arrival alternate, TLS %s',
  async (secure) => {
    const { accepted, sender, close } = await pair(secure);
    const hashes = { sent: createHash('sha256'), read: createHash('sha256') };
    const collector = new Collector();
    let bytes = 0;
    const consumer: Collector = Object.assign(Object.create(Collector.prototype) as Collector, collector, {
      read: (from: Uint8Array, start: number, end: number) => {
        hashes.read.update(from.subarray(start, end));
        bytes += end - start;
        consumer.bytes = bytes;
        consumer.keepsPayload = Math.floor(bytes / 300_000) % 2 === 1;
        consumer.isInMidMessage = bytes % 3 === 0;
      },
    });
    const reading = readSocket(accepted, consumer, payloadBuffers());
    const reads = readsOf(accepted);
    const pace = new ReadPace(3);
    reading.readAtIntervals(pace);
    let sent = 0;
    for (let burst = 0; burst < 60; burst++) {
      const size = Math.floor(random() ** 4 * message.length);
      hashes.sent.update(message.subarray(0, size));
      sent += size;
      sender.write(message.subarray(0, size));
      if (burst % 3 === 0) await until(() => bytes === sent);
      if (burst % 10 === 5) reading.readAsItArrives();
      if (burst % 10 !== 7) continue;
      const before = reads.stopped;
      reading.readAtIntervals(pace);
      await until(() => reads.stopped > before);
    }
    const ended = once(accepted, 'end');
    sender.end();
    await ended;
    expect([bytes, hashes.read.digest('hex')]).toEqual([sent, hashes.sent.digest('hex')]);
    expect(reads.stopped).toBeGreaterThan(5);
    reading.readAsItArrives();
    close();
  },
);

test('reports a connection that was reset as one that is read as it arrives', async () => {
  const { accepted, sender, close } = await pair(false);
  const reading = readSocket(accepted, new Collector(), payloadBuffers());
  const reads = readsOf(accepted);
  reading.readAtIntervals(new ReadPace(10));
  await until(() => reads.stopped > 0);
  const failed = once(accepted, 'error') as Promise<[NodeJS.ErrnoException]>;
  sender.resetAndDestroy();
  expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
  expect(accepted.destroyed).toBe(true);
  reading.readAsItArrives();
  close();
});

test('reads a TLS connection as it arrives where Node takes no encrypted bytes', async () => {
  const { accepted, close } = await pair(true);
  Object.defineProperty(Reflect.get(accepted, '_handle'), 'receive', { value: undefined });
  const reading = readSocket(accepted, new Collector(), payloadBuffers());
  const pace = new ReadPace(3_600_000);
  pace.join = () => {
    throw new Error('it has turns');
  };
  reading.readAtIntervals(pace);
  expect(reading.restingBytes).toBe(0);
  close();
});

test('reads a connection as it arrives once it has left the intervals, and not after it is destroyed', async () => {
  const { accepted, sender, close } = await pair(true);
  const collector = new Collector();
  const reading = readSocket(accepted, collector, payloadBuffers());
  // No turn comes by itself.
  const pace = new ReadPace(3_600_000);
  reading.readAtIntervals(pace);
  reading.readAsItArrives();
  sender.write(message.subarray(0, 1_000));
  await until(() => collector.bytes === 1_000);
  reading.readAtIntervals(pace);
  const reads = readsOf(accepted);
  accepted.destroy();
  reading.readAsItArrives();
  expect(reads).toEqual({ started: 0, stopped: 0 });
  close();
});

/** Real sockets: what was sent arrives, whoever keeps it, and the buffer that all connections share is let go of each time. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { PayloadBuffers } from '../../../../src/bytes/payload-buffers.js';
import { makeAuthority, makeServerCertificate } from '../../../../src/config/authority.js';
import {
  type ByteTaker,
  readIntoBuffers,
  readSocket,
  readThroughPush,
} from '../../../../src/ingest/rtmp/socket-reader.js';
import { seededRandom } from '../../../support/fuzz.js';
import { payloadBuffers } from '../../../support/payload-buffers.js';

class Taking implements ByteTaker {
  keepsPayload = false;
  /** Views of what was read while payload was kept, copies of the rest. */
  readonly parts: Uint8Array[] = [];
  readonly detached = new Set<Uint8Array>();
  readonly sealed = new Set<Uint8Array>();
  readonly buffers = new Set<Uint8Array>();
  onRead: () => void = () => undefined;
  bytes = 0;

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
    await makeAuthority(nowMs),
    ['localhost'],
    nowMs,
  );
  return { cert, key };
}

/** One accepted socket over TLS or TCP, and the other end. */
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
  ['through push', true, readThroughPush],
  ['through push', false, readThroughPush],
] as const;

describe.each(ways)('%s, TLS %s', (_name, secure, read) => {
  test.each([
    ['nobody keeps it', () => false],
    ['somebody keeps it', () => true],
    ['somebody keeps some of it', (bytes: number) => Math.floor(bytes / 90_000) % 2 === 1],
  ])('%s', async (_who, keeps) => {
    const { accepted, sender, close } = await pair(secure);
    const taking = new Taking();
    taking.keepsPayload = keeps(0);
    const ended = once(accepted, 'end');
    taking.onRead = () => {
      taking.keepsPayload = keeps(taking.bytes);
    };
    read(accepted, taking, payloadBuffers());
    accepted.resume();
    sender.end(message);
    await ended;
    expect(taking.all.equals(message)).toBe(true);
    // One that is still being filled at the end was not let go of.
    for (const buffer of [...taking.buffers].slice(0, -1)) {
      expect(taking.detached.has(buffer) || taking.sealed.has(buffer)).toBe(true);
    }
    close();
  });
});

test('this Node takes buffers, and one is enough for all connections whose payload nobody keeps', async () => {
  const pairs = await Promise.all([pair(true), pair(false), pair(true)]);
  const taking = new Taking();
  const ended = pairs.map(({ accepted }) => once(accepted, 'end'));
  for (const { accepted } of pairs) {
    expect(readIntoBuffers(accepted, taking, payloadBuffers())).toBe(true);
    accepted.resume();
  }
  for (const { sender } of pairs) sender.end(message);
  await Promise.all(ended);
  expect(taking.bytes).toBe(3 * message.length);
  expect(taking.buffers.size).toBe(1);
  for (const { close } of pairs) close();
});

test('bytes that came before the reader are not lost', async () => {
  const { accepted, sender, close } = await pair(false);
  const taking = new Taking();
  const ended = once(accepted, 'end');
  accepted.unshift(Buffer.from('early '));
  readSocket(accepted, taking, payloadBuffers());
  sender.end('and late');
  await ended;
  expect(taking.all.toString()).toBe('early and late');
  close();
});

test('a buffer that a message still lay in when nobody kept payload any more is used again afterwards', async () => {
  const { accepted, sender, close } = await pair(false);
  const made: Uint8Array[] = [];
  const buffers = new PayloadBuffers(() => {
    const buffer = new Uint8Array(64 * 1024);
    made.push(buffer);
    return buffer;
  });
  const taking = new Taking();
  taking.keepsPayload = true;
  taking.onRead = () => {
    // Kept until the second buffer, of the pool, is in use; the message that lies in it ends later.
    if (made.length > 0) taking.keepsPayload = false;
    if (!taking.keepsPayload && taking.bytes > 500_000) taking.isInMidMessage = false;
  };
  const ended = once(accepted, 'end');
  expect(readIntoBuffers(accepted, taking, buffers)).toBe(true);
  accepted.resume();
  sender.end(message);
  await ended;
  expect(taking.bytes).toBe(message.length);
  expect(made).toHaveLength(1);
  expect(buffers.take()).toBe(made[0]);
  close();
});

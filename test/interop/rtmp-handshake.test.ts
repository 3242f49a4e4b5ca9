/** Interoperability of the handshake. */
import { WireError } from '../../src/bytes/wire-error.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { ClientPeer, counting, join, pieces, ServerPeer } from '../unit/rtmp/peers.js';
import { SCHEME_1_C1 } from '../unit/rtmp/vectors.js';
import { C2, HELLO, RawPublisher } from './raw-publisher.js';

test('answers a C1 with a version but no valid digest with the plain handshake', () => {
  const c1 = counting(6)(1536);
  c1.set([0x80, 0, 7, 2], 4);
  const publisher = new RawPublisher().push([3], c1);
  const [answer] = publisher.server.writes as [Uint8Array];
  expect(answer.subarray(1537)).toEqual(c1);
  expect(publisher.server.session.usedDigest).toBe(false);
  expect(publisher.push(C2).connect().answers()[0]?.name).toBe('_result');
});

test('accepts a C2 that does not echo S1', () => {
  const publisher = new RawPublisher().push(HELLO, counting(99)(1536)).connect();
  expect(publisher.server.session.state).toBe('connected');
});

test('repeats C1 in S2 of the plain handshake', () => {
  const { server } = new RawPublisher().push(HELLO);
  expect(server.writes).toHaveLength(1);
  expect(server.writes[0]?.subarray(1537)).toEqual(HELLO.subarray(1));
});

test('reads C0, C1, C2 and connect alike in one segment and split anywhere', () => {
  const connect = new ChunkEncoder().encode(3, 20, 0, 0, encodeAmf0('connect', 1, { app: 'live', tcUrl: 'x' }));
  const all = new Uint8Array([...HELLO, ...C2, ...connect]);
  const whole = new ServerPeer();
  whole.session.push(all);
  expect(whole.connects).toMatchObject([{ app: 'live', tcUrl: 'x' }]);
  const bytesOf = (server: ServerPeer) => Buffer.concat(server.writes).toString('latin1');
  for (let cut = 1; cut < all.length; cut++) {
    const server = new ServerPeer();
    server.session.push(all.slice(0, cut));
    server.session.push(all.slice(cut));
    if (bytesOf(server) !== bytesOf(whole) || server.connects.length !== 1)
      throw new Error(`differs when cut at ${cut}`);
  }
  const single = new ServerPeer();
  for (const byte of pieces(all, 1)) single.session.push(byte.slice());
  expect(bytesOf(single)).toBe(bytesOf(whole));
});

test.each([6, 0x47, 0x16, 255])('refuses version byte %d without an answer', (version) => {
  const server = new ServerPeer();
  expect(() => server.session.push(Uint8Array.of(version, 1, 2, 3))).toThrow(
    expect.objectContaining({ code: 'RTMP_VERSION' }),
  );
  expect(() => server.session.push(Uint8Array.of(version))).toThrow(WireError);
  expect(server.writes).toEqual([]);
});

test.each([0, 1] as const)('sends signed answers to a client that requires digest scheme %d', (digest) => {
  const server = new ServerPeer();
  const client = new ClientPeer({ digest });
  join(server, client);
  client.session.start();
  expect(client.session.handshake.serverVerified).toBe(true);
  expect(client.isPublishing).toBe(true);
});

test('answers a digest of scheme 1 from Flash Player', () => {
  const c1 = new Uint8Array(Buffer.from(SCHEME_1_C1, 'base64'));
  const { server } = new RawPublisher().push([3], c1);
  expect(server.session.usedDigest).toBe(true);
});

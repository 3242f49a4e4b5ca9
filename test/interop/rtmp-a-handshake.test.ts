/** Rows A5 to A10 of the interoperability cases: the handshake. */
import { WireError } from '../../src/bytes/wire-error.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { ClientPeer, counting, join, pieces, ServerPeer } from '../unit/rtmp/peers.js';
import { SCHEME_1_C1 } from '../unit/rtmp/vectors.js';
import { C2, HELLO, RawPublisher } from './raw-publisher.js';

test('A5: a C1 with a version but no valid digest gets the plain handshake', () => {
  const c1 = counting(6)(1536);
  c1.set([0x80, 0, 7, 2], 4);
  const publisher = new RawPublisher().push([3], c1);
  const [answer] = publisher.server.writes as [Uint8Array];
  expect(answer.subarray(1537)).toEqual(c1);
  expect(publisher.server.session.usedDigest).toBe(false);
  expect(publisher.push(C2).connect().answers()[0]?.name).toBe('_result');
});

test('A6: a C2 that echoes nothing is accepted', () => {
  const publisher = new RawPublisher().push(HELLO, counting(99)(1536)).connect();
  expect(publisher.server.session.state).toBe('connected');
});

test('A7: S2 of the plain handshake repeats C1 exactly', () => {
  const { server } = new RawPublisher().push(HELLO);
  expect(server.writes).toHaveLength(1);
  expect(server.writes[0]?.subarray(1537)).toEqual(HELLO.subarray(1));
});

test('A8: C0, C1, C2 and connect in one segment, and cut anywhere, come to the same', () => {
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

test.each([6, 0x47, 0x16, 255])('A9: version byte %d is a WireError and nothing is answered', (version) => {
  const server = new ServerPeer();
  expect(() => server.session.push(Uint8Array.of(version, 1, 2, 3))).toThrow(
    expect.objectContaining({ code: 'RTMP_VERSION' }),
  );
  expect(() => server.session.push(Uint8Array.of(version))).toThrow(WireError);
  expect(server.writes).toEqual([]);
});

test.each([0, 1] as const)('A10: a client that insists on digest scheme %d gets signed answers', (digest) => {
  const server = new ServerPeer();
  const client = new ClientPeer({ digest });
  join(server, client);
  client.session.start();
  expect(client.session.handshake.serverVerified).toBe(true);
  expect(client.publishing).toBe(1);
});

test('A10: a digest of scheme 1, as Flash Player makes it, is answered as such', () => {
  const c1 = new Uint8Array(Buffer.from(SCHEME_1_C1, 'base64'));
  const { server } = new RawPublisher().push([3], c1);
  expect(server.session.usedDigest).toBe(true);
});

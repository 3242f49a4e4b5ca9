/** The handshake inside a session. What is seen from outside are cases of `src/conform/cases/handshake`. */
import { WireError } from '../../src/bytes/wire-error.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { pieces, ServerPeer } from '../unit/rtmp/peers.js';
import { SCHEME_1_C1 } from '../unit/rtmp/vectors.js';
import { C2, HELLO, RawPublisher } from './raw-publisher.js';

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

test('answers a digest of scheme 1 from Flash Player', () => {
  const c1 = new Uint8Array(Buffer.from(SCHEME_1_C1, 'base64'));
  const { server } = new RawPublisher().push([3], c1);
  expect(server.session.usedDigest).toBe(true);
});

import { WireError } from '../../../../src/bytes/wire-error.js';
import { ClientHandshake } from '../../../../src/rtmp/handshake/client-handshake.js';
import {
  type DigestScheme,
  digestOffset,
  findDigest,
  signPacket,
  verifyReply,
} from '../../../../src/rtmp/handshake/digest.js';
import { ServerHandshake } from '../../../../src/rtmp/handshake/server-handshake.js';
import { counting } from '../peers.js';
import { FFMPEG_C1, SCHEME_1_C1 } from '../vectors.js';

const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** A handshake, and its replies. `push` returns the number of bytes taken. */
function serve() {
  const out: Uint8Array[] = [];
  const handshake = new ServerHandshake(counting(9));
  const push = (bytes: Uint8Array): number => {
    const { taken, reply } = handshake.push(bytes);
    if (reply !== undefined) out.push(reply);
    return taken;
  };
  return { handshake, push, out };
}

function hello(c1: Uint8Array): Uint8Array {
  return new Uint8Array([3, ...c1]);
}

describe('digests of other software', () => {
  test.each<[string, string, DigestScheme]>([
    ['scheme 1', SCHEME_1_C1, 1],
    ['FFmpeg 5.1', FFMPEG_C1, 0],
  ])('finds the digest of %s and answers with a signed S1 and S2', (_name, vector, scheme) => {
    const c1 = base64(vector);
    const found = findDigest(c1, 'client');
    expect(found?.scheme).toBe(scheme);
    const { handshake, push, out } = serve();
    push(hello(c1));
    expect(handshake.usedDigest).toBe(true);
    expect(out).toHaveLength(1);
    const [answer] = out as [Uint8Array];
    expect(answer).toHaveLength(3073);
    expect(findDigest(answer.subarray(1, 1537), 'server')?.scheme).toBe(scheme);
    expect(verifyReply(answer.subarray(1537), found?.digest as Uint8Array, 'server')).toBe(true);
  });

  test.each([SCHEME_1_C1, FFMPEG_C1])('answers plainly if any bit is changed', (vector) => {
    for (const at of [0, 9, 100, 773, 900, 1535]) {
      const c1 = base64(vector);
      c1[at] = (c1[at] as number) ^ 0x10;
      expect(findDigest(c1, 'client')).toBeUndefined();
    }
  });
});

test('a packet without a version has no digest', () => {
  const packet = new Uint8Array(1536);
  signPacket(packet, 1, 'client');
  expect(findDigest(packet, 'client')).toBeUndefined();
});

describe('digest offsets', () => {
  test.each<[DigestScheme, number]>([
    [0, 8],
    [1, 772],
  ])('keep the digest inside the packet for every pointer of scheme %d', (scheme, pointerAt) => {
    const packet = new Uint8Array(1536);
    packet.set([4, 5, 0, 1], 4);
    for (const bytes of [
      [0, 0, 0, 0],
      [255, 255, 255, 255],
      [255, 255, 217, 0],
      [255, 255, 218, 0],
    ]) {
      packet.set(bytes, pointerAt);
      const at = digestOffset(packet, scheme);
      expect(at).toBeGreaterThanOrEqual(pointerAt + 4);
      expect(at + 32).toBeLessThanOrEqual(pointerAt + 4 + 727 + 32);
      expect(at + 32).toBeLessThanOrEqual(1536);
      signPacket(packet, scheme, 'server');
      expect(findDigest(packet, 'server')?.scheme).toBe(scheme);
    }
  });
});

describe('server', () => {
  test('repeats all of C1 in the plain handshake, as librtmp checks', () => {
    const c1 = counting(4)(1536);
    const { push, out } = serve();
    push(hello(c1));
    const [answer] = out as [Uint8Array];
    expect(answer[0]).toBe(3);
    expect(answer.subarray(1, 9)).toEqual(new Uint8Array(8));
    expect(answer.subarray(1537)).toEqual(c1);
  });

  test('consumes the same bytes and answers once when split at every byte, and leaves the rest', () => {
    const input = new Uint8Array([...hello(base64(FFMPEG_C1)), ...new Uint8Array(1536), 0xaa, 0xbb]);
    const whole = serve();
    expect(whole.push(input)).toBe(3073);
    expect(whole.handshake.done).toBe(true);
    for (let cut = 0; cut <= input.length; cut += cut < 4 || (cut > 1530 && cut < 1545) || cut > 3068 ? 1 : 97) {
      const { push, out } = serve();
      const first = push(input.subarray(0, cut));
      const second = push(input.subarray(first));
      expect(first + second).toBe(3073);
      expect(out).toEqual(whole.out);
    }
    const { push, out } = serve();
    let taken = 0;
    for (const byte of input) taken += push(Uint8Array.of(byte));
    expect(taken).toBe(3073);
    expect(out).toEqual(whole.out);
  });

  test.each([
    ['RTMPE', 6],
    ['HTTP', 0x47],
    ['TLS', 0x16],
    ['zero', 0],
  ])('refuses %s as the first byte at once', (_name, byte) => {
    const { push, out } = serve();
    expect(() => push(Uint8Array.of(byte))).toThrow(WireError);
    expect(out).toEqual([]);
  });
});

describe('client', () => {
  test('echoes a server that answers a digest plainly', () => {
    const client = new ClientHandshake(counting(2), 1);
    const c1 = client.start().subarray(1);
    const s1 = counting(8)(1536);
    const { reply } = client.push(new Uint8Array([3, ...s1, ...c1]));
    expect(client.done).toBe(true);
    expect(client.serverVerified).toBe(false);
    expect(client.serverEchoed).toBe(true);
    expect(reply).toEqual(s1);
  });

  test('refuses another version in the answer', () => {
    const client = new ClientHandshake(counting(2));
    client.start();
    expect(() => client.push(Uint8Array.of(4))).toThrow(WireError);
  });
});

/**
 * The digest that Flash Player 9 and later put into C1 and expect in S1 and S2. RTMP 1.0 does not specify it; servers agree
 * on the layout: an HMAC-SHA256 of 32 bytes over the rest of the 1536, at an offset derived from four other bytes, in one
 * of two schemes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const HANDSHAKE_BYTES = 1536;
export const DIGEST_BYTES = 32;

const SECRET_TAIL = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');
const SERVER_NAME = Buffer.from('Genuine Adobe Flash Media Server 001', 'latin1');
const CLIENT_NAME = Buffer.from('Genuine Adobe Flash Player 001', 'latin1');

/** The side whose packet is signed; selects the key. */
export type DigestSide = 'client' | 'server';

const NAME_KEY: Record<DigestSide, Buffer> = { client: CLIENT_NAME, server: SERVER_NAME };
const FULL_KEY: Record<DigestSide, Buffer> = {
  client: Buffer.concat([CLIENT_NAME, SECRET_TAIL]),
  server: Buffer.concat([SERVER_NAME, SECRET_TAIL]),
};

/** Scheme 0: the digest is in the first half of the packet. Scheme 1: in the second half. */
export type DigestScheme = 0 | 1;
const POINTER_AT: Record<DigestScheme, number> = { 0: 8, 1: 772 };
const POINTER_RANGE = 728;

/** Offset of the digest in a C1 or S1 under a scheme. */
export function digestOffset(packet: Uint8Array, scheme: DigestScheme): number {
  const at = POINTER_AT[scheme];
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += packet[at + i] as number;
  return at + 4 + (sum % POINTER_RANGE);
}

function hmac(key: Uint8Array, ...parts: Uint8Array[]): Buffer {
  const sum = createHmac('sha256', key);
  for (const part of parts) sum.update(part);
  return sum.digest();
}

function digestOf(packet: Uint8Array, at: number, side: DigestSide): Buffer {
  return hmac(NAME_KEY[side], packet.subarray(0, at), packet.subarray(at + DIGEST_BYTES, HANDSHAKE_BYTES));
}

/** Bytes 4 to 7 hold the version of the program. A packet with a digest has one; in the plain handshake they are zero (RTMP 1.0 5.2.3). */
const hasVersion = (packet: Uint8Array) => packet[4] !== 0 || packet[5] !== 0 || packet[6] !== 0 || packet[7] !== 0;

/** The digest of a C1 or S1, or undefined if it has no version or neither scheme verifies (plain handshake). */
export function findDigest(
  packet: Uint8Array,
  side: DigestSide,
): { readonly scheme: DigestScheme; readonly digest: Uint8Array } | undefined {
  if (!hasVersion(packet)) return undefined;
  for (const scheme of [1, 0] as const) {
    const at = digestOffset(packet, scheme);
    const digest = packet.subarray(at, at + DIGEST_BYTES);
    if (timingSafeEqual(digest, digestOf(packet, at, side))) return { scheme, digest };
  }
  return undefined;
}

/** Writes the digest into a C1 or S1 whose other bytes are final. Returns it. */
export function signPacket(packet: Uint8Array, scheme: DigestScheme, side: DigestSide): Uint8Array {
  const at = digestOffset(packet, scheme);
  packet.set(digestOf(packet, at, side), at);
  return packet.subarray(at, at + DIGEST_BYTES);
}

/** Signs a C2 or S2 in its last 32 bytes; `answered` is the digest of the C1 or S1 that it answers. */
export function signReply(packet: Uint8Array, answered: Uint8Array, side: DigestSide): void {
  packet.set(replySignature(packet, answered, side), HANDSHAKE_BYTES - DIGEST_BYTES);
}

/** True if the C2 or S2 is signed for the digest `answered`. */
export function verifyReply(packet: Uint8Array, answered: Uint8Array, side: DigestSide): boolean {
  return timingSafeEqual(
    packet.subarray(HANDSHAKE_BYTES - DIGEST_BYTES, HANDSHAKE_BYTES),
    replySignature(packet, answered, side),
  );
}

function replySignature(packet: Uint8Array, answered: Uint8Array, side: DigestSide): Buffer {
  return hmac(hmac(FULL_KEY[side], answered), packet.subarray(0, HANDSHAKE_BYTES - DIGEST_BYTES));
}

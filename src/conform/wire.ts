/** Bytes that the encoder of messages does not produce: single chunks, padded commands. */
import type { AmfValue } from '../rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../rtmp/amf/amf0-encoder.js';
import { HANDSHAKE_BYTES } from '../rtmp/handshake/digest.js';
import { EXTENDED_TIMESTAMP } from '../rtmp/protocol.js';
import type { Peer } from './peer.js';

/** Bytes of S0 and S1. */
export const S1_END = 1 + HANDSHAKE_BYTES;

export interface ChunkFields {
  readonly id: number;
  /** The form of the basic header, where the id allows several. */
  readonly form?: 1 | 2 | 3;
  /** Timestamp or delta; above 0xfffffe it is sent as an extended timestamp. */
  readonly time?: number;
  readonly length?: number;
  readonly type?: number;
  readonly stream?: number;
  /** In a type 3 chunk: the extended timestamp that it repeats. */
  readonly repeats?: number;
}

/** One chunk: header of the format, then its payload (RTMP 1.0 5.3.1). */
export function chunk(format: 0 | 1 | 2 | 3, fields: ChunkFields, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const { time = 0, length = payload.length, type = 20, stream = 0, repeats } = fields;
  const isExtended = time >= EXTENDED_TIMESTAMP;
  const out = [...basicHeader(format, fields)];
  if (format <= 2) out.push(...bigEndian(isExtended ? EXTENDED_TIMESTAMP : time, 3));
  if (format <= 1) out.push(...bigEndian(length, 3), type);
  if (format === 0) out.push(...bigEndian(stream, 4).reverse());
  if (format <= 2 && isExtended) out.push(...bigEndian(time, 4));
  if (format === 3 && repeats !== undefined) out.push(...bigEndian(repeats, 4));
  return joined(Uint8Array.from(out), payload);
}

function basicHeader(format: number, { id, form }: ChunkFields): number[] {
  const size = form ?? (id < 64 ? 1 : id < 320 ? 2 : 3);
  if (size === 1) return [(format << 6) | id];
  if (size === 2) return [format << 6, id - 64];
  return [(format << 6) | 1, (id - 64) & 0xff, (id - 64) >> 8];
}

function bigEndian(value: number, size: number): number[] {
  return Array.from({ length: size }, (_none, at) => Math.floor(value / 2 ** (8 * (size - 1 - at))) & 0xff);
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** The body of a createStream of at least `size` bytes: a further argument, which servers ignore, makes it long. */
export function padded(transactionId: number, size = 0): Uint8Array {
  const plain = encodeAmf0('createStream', transactionId, null);
  return size <= plain.length
    ? plain
    : encodeAmf0('createStream', transactionId, null, 'x'.repeat(size - plain.length - 3));
}

export function connectBody({ app, tcUrl }: Peer, more: Readonly<Record<string, AmfValue>> = {}): Uint8Array {
  return encodeAmf0('connect', 1, { app, type: 'nonprivate', flashVer: 'FMLE/3.0', tcUrl, ...more });
}

/** Packets of a broadcast on their way to a target, and what their first bytes say of them. */

import { packetTypeOf } from '../../media/flv/enhanced-header.js';

export type PacketKind = 'audio' | 'video' | 'data';

/** `key`: decoding may begin with it. `data` is metadata, which encoders send before all else. */
export type PacketRole = 'metadata' | 'header' | 'key' | 'other';

export interface Packet {
  readonly kind: PacketKind;
  readonly role: PacketRole;
  /** 0: the first of its kind, which every target gets. */
  readonly track: number;
  /** 32-bit milliseconds of the encoder, which wrap. */
  readonly timestampMs: number;
  readonly bytes: Uint8Array;
  /** When it arrived, on the monotonic clock. */
  readonly atMs: number;
}

/** The part of a message that is read. */
interface Bytes {
  readonly length: number;
  byteAt(index: number): number;
}

const KEY_FRAME = 1;
const ENHANCED = 0x80;
const ENHANCED_AUDIO = 9;
const AAC = 10;
const SEQUENCE_START = 0;
const CODED = 1;
const CODED_WITHOUT_TIME = 3;
/** H.264, and H.265 as some encoders write it without Enhanced RTMP. */
const WITH_HEADER: ReadonlySet<number> = new Set([7, 12]);

/** FLV 10.1 E.4.3 and Enhanced RTMP v2: the form of a single track. */
export function roleOf(kind: PacketKind, body: Bytes): PacketRole {
  if (kind === 'data') return 'metadata';
  if (body.length < 2) return 'other';
  const first = body.byteAt(0);
  if (kind === 'audio') {
    const format = first >> 4;
    if (format === ENHANCED_AUDIO) return packetTypeOf(body) === SEQUENCE_START ? 'header' : 'other';
    return format === AAC && body.byteAt(1) === SEQUENCE_START ? 'header' : 'other';
  }
  const isKey = ((first >> 4) & 7) === KEY_FRAME;
  const isEnhanced = (first & ENHANCED) !== 0;
  if (!isEnhanced && !WITH_HEADER.has(first & 0x0f)) return isKey ? 'key' : 'other';
  const type = isEnhanced ? packetTypeOf(body) : body.byteAt(1);
  if (type === SEQUENCE_START) return 'header';
  const isPicture = type === CODED || (isEnhanced && type === CODED_WITHOUT_TIME);
  return isKey && isPicture ? 'key' : 'other';
}

const SET_DATA_FRAME = Uint8Array.from('\x02\x00\x0d@setDataFrame', (char) => char.charCodeAt(0));

/** Metadata as encoders send it: AMF0, after `@setDataFrame`, without which servers do not keep it for those who join later. */
export function asSentMetadata(body: Uint8Array): Uint8Array {
  // A data message of AMF3 begins with a 0; the values after it are of AMF0.
  const plain = body[0] === 0 ? body.subarray(1) : body;
  if (SET_DATA_FRAME.every((byte, at) => plain[at] === byte)) return plain;
  const sent = new Uint8Array(SET_DATA_FRAME.length + plain.length);
  sent.set(SET_DATA_FRAME);
  sent.set(plain, SET_DATA_FRAME.length);
  return sent;
}

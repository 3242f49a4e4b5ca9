/** Frames in which the packets of one broadcast travel from the process that receives it to the one that forwards it. */
import type { PacketKind } from '../core/packets.js';

/** The first frame of a connection. */
export interface FeedBegin {
  readonly liveVideoId: string;
  readonly ownerId: string;
  /** Name under which the process that receives it holds leases. */
  readonly holder: string;
  /** The broadcast was LIVE before. */
  readonly isResumed: boolean;
  /** Ids of the deployments that the stream passed before this one. */
  readonly passed: readonly string[];
}

export type FeedFrame =
  | { readonly is: 'begin'; readonly begin: FeedBegin }
  | {
      readonly is: 'packet';
      readonly kind: PacketKind;
      readonly track: number;
      readonly timestampMs: number;
      readonly bytes: Uint8Array;
    }
  /** Codes of the open errors, from the next packet on. */
  | { readonly is: 'judged'; readonly openErrors: readonly number[] };

/** Type, track, 32 bits of timestamp, 32 bits of length. */
export const HEADER_BYTES = 10;
/** Messages of RTMP have 24 bits of length. */
const LONGEST = 0xff_ffff;

const TYPES = ['begin', 'audio', 'video', 'data', 'judged'] as const;
type FrameType = (typeof TYPES)[number];

export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly code = 'FORWARD_FEED';
}

/** Returns the end of the header. */
export function writeHeader(
  target: Buffer,
  at: number,
  type: FrameType,
  timestampMs: number,
  length: number,
  track = 0,
): number {
  target[at] = TYPES.indexOf(type);
  target[at + 1] = track;
  target.writeUInt32BE(timestampMs >>> 0, at + 2);
  target.writeUInt32BE(length, at + 6);
  return at + HEADER_BYTES;
}

export function jsonFrame(type: 'begin' | 'judged', value: FeedBegin | readonly number[]): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  body.copy(frame, writeHeader(frame, 0, type, 0, body.length));
  return frame;
}

/** Frames out of the pieces of a stream of bytes. A frame within one piece is a view of it, not a copy. */
export class FeedReader {
  #rest: Buffer = Buffer.alloc(0);
  /** Pieces of an unfinished frame, with their sum. */
  #parts: Buffer[] = [];
  #held = 0;
  #needed = HEADER_BYTES;

  /** @throws FeedError */
  *push(piece: Buffer): Generator<FeedFrame> {
    this.#parts.push(piece);
    this.#held += piece.length;
    if (this.#held < this.#needed) return;
    const [first] = this.#parts;
    this.#rest = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
    this.#held = this.#rest.length;
    if (this.#held > 0) this.#parts.push(this.#rest);
  }

  #next(): FeedFrame | undefined {
    const rest = this.#rest;
    this.#needed = HEADER_BYTES;
    if (rest.length < HEADER_BYTES) return undefined;
    const type = TYPES[rest[0] ?? TYPES.length];
    const length = rest.readUInt32BE(6);
    if (type === undefined || length > LONGEST) throw new FeedError('a frame of the feed is not valid');
    this.#needed = HEADER_BYTES + length;
    if (rest.length < this.#needed) return undefined;
    const bytes = rest.subarray(HEADER_BYTES, this.#needed);
    const track = rest[1] ?? 0;
    const timestampMs = rest.readUInt32BE(2);
    this.#rest = rest.subarray(this.#needed);
    if (type === 'begin') return { is: 'begin', begin: JSON.parse(bytes.toString()) as FeedBegin };
    if (type === 'judged') return { is: 'judged', openErrors: JSON.parse(bytes.toString()) as number[] };
    return { is: 'packet', kind: type, track, timestampMs, bytes };
  }
}

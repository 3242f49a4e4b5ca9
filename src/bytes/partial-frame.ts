import type { SliceList } from './slices.js';

const NO_STORE = new Uint8Array(0);
/** A larger store, which the encoder's SEI text in a key frame may need, is not reused for the next message. */
const LARGEST_STORE_BYTES = 1024;

/** Retention modes of an unfinished message. Undecided: too few bytes have arrived. */
export const UNDECIDED = 0;
/** All bytes are kept: sequence headers, small messages, framings that are not parsed in part. */
export const WHOLE = 1;
/** Only the first bytes are kept. */
export const HEAD_ONLY = 2;
/** A frame in NAL units: the start of each slice is kept, and parameter sets and SEI in full. */
export const NAL_UNITS = 3;

/**
 * State of a message while it arrives, when only the bytes that will be parsed are kept. Plain fields, for the hot path;
 * one object lives as long as its chunk stream.
 */
export class PartialFrame {
  kind = UNDECIDED;
  /** Bytes of the message processed so far. */
  decided = 0;
  /** Number of pieces that hold them. */
  pieces = 0;
  /** Offset of the next NAL unit's length field. */
  next = 0;
  /** End offset of the bytes to keep of the previous NAL unit. */
  keepTo = 0;
  /** Bytes up to this offset need not be kept: they are added with `skip`. */
  skipTo = 0;
  nalLengthSize = 4;
  nalUnits = 0;
  /** Bytes of the message that were kept. */
  kept = 0;
  /** Destination of kept bytes; reused by the next message. */
  store = NO_STORE;
  stored = 0;

  /** Adds the next `size` bytes of the message, which end at or before `skipTo`, as a hole. */
  skip(payload: SliceList, size: number): void {
    payload.pushHole(size);
    this.decided += size;
    this.pieces = payload.count;
  }

  restart(): void {
    this.kind = UNDECIDED;
    this.decided = 0;
    this.pieces = 0;
    this.next = 0;
    this.keepTo = 0;
    this.skipTo = 0;
    this.nalUnits = 0;
    this.kept = 0;
    this.stored = 0;
    if (this.store.length > LARGEST_STORE_BYTES) this.store = NO_STORE;
  }
}

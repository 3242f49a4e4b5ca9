const NO_STORE = new Uint8Array(0);
/** A larger one, which the text of an encoder in a key frame may need, is not kept for the next message. */
const LARGEST_STORE_BYTES = 1024;

/** How an unfinished message was dealt with so far. */
export const UNDECIDED = 0;
/** All of it is kept: headers, small messages, framings that are not looked through. */
export const WHOLE = 1;
/** The first bytes are kept. */
export const HEAD_ONLY = 2;
/** A frame in NAL units: the start of each is kept, and the small ones that say something. */
export const NAL_UNITS = 3;

/**
 * State of a message whose headers are retained while it arrives: only the bytes that will be looked at are
 * kept of it. Plain fields, for the hot path; one object lives as long as its chunk stream.
 */
export class PartialFrame {
  kind = UNDECIDED;
  /** Bytes of the message that were dealt with. */
  decided = 0;
  /** Pieces of the message that hold those. */
  pieces = 0;
  /** Where the next NAL unit's length field begins. */
  next = 0;
  /** What belongs to the NAL unit before and is kept ends here. */
  keepTo = 0;
  nalLengthSize = 4;
  nalUnits = 0;
  /** Bytes that were kept of the message. */
  kept = 0;
  /** Where kept bytes are copied to; the next message uses it again. */
  store = NO_STORE;
  stored = 0;

  restart(): void {
    this.kind = UNDECIDED;
    this.decided = 0;
    this.pieces = 0;
    this.next = 0;
    this.keepTo = 0;
    this.nalUnits = 0;
    this.kept = 0;
    this.stored = 0;
    if (this.store.length > LARGEST_STORE_BYTES) this.store = NO_STORE;
  }
}

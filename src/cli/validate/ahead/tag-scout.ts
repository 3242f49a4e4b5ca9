/** Guesses which parts of an FLV file the judge will read: the start of each tag, and whole tags if they are small. */
import { BACK_POINTER_BYTES, TAG_HEADER_BYTES } from '../../../media/flv/sizes.js';

/** Of a body, at least as much is judged. */
const PREFIX_BYTES = 96;
const STREAM_ID = 8;
const KINDS = new Set([8, 9, 18]);

export class TagScout {
  /** Of the back pointer before the next tag. */
  #tagAt: number;
  /** Up to which the last tag is judged if the rest of it can be skipped. */
  #wantedTo = 0;
  readonly #minSkipBytes: number;

  /** `position` of the back pointer before a tag. */
  constructor(position: number, minSkipBytes: number) {
    this.#tagAt = position;
    this.#minSkipBytes = minSkipBytes;
  }

  /** Where the piece after `bytes[from, from + size)` begins, which is at `position` in the file; NaN if these are no tags. */
  next(bytes: Uint8Array, from: number, size: number, position: number): number {
    const end = position + size;
    while (this.#tagAt + BACK_POINTER_BYTES + TAG_HEADER_BYTES <= end) {
      const header = from + this.#tagAt - position + BACK_POINTER_BYTES;
      if (!KINDS.has(bytes[header] as number) || bytes[header + STREAM_ID] !== 0) return Number.NaN;
      const body =
        ((bytes[header + 1] as number) << 16) | ((bytes[header + 2] as number) << 8) | (bytes[header + 3] as number);
      const bodyAt = this.#tagAt + BACK_POINTER_BYTES + TAG_HEADER_BYTES;
      this.#wantedTo = bodyAt + PREFIX_BYTES;
      this.#tagAt = bodyAt + body;
    }
    return this.#wantedTo > end || this.#tagAt - end < this.#minSkipBytes ? end : this.#tagAt;
  }
}

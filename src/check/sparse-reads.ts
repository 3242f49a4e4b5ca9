/** Decides how much of a file is read next where its consumer needs only part of the bytes. */

/** Fits the audio between two video frames and the header of the second. */
const SMALLEST_READ_BYTES = 1024;
/** When nothing is skipped, larger reads cost less; above this size they exceed the processor cache. */
export const LARGEST_READ_BYTES = 128 * 1024;
/** Skipping this much saves as much time as an extra read costs; smaller average gaps are read through. */
const MIN_AVERAGE_SKIP_BYTES = 12 * 1024;
/** While skipping, gaps from this size on are skipped, since a read follows in any case. */
const MIN_SKIP_BYTES = 4096;
/** Number of reads over which the skippable bytes are averaged. */
const READS_AVERAGED = 32;

export class SparseReads {
  /** Bytes to read next. */
  wanted = LARGEST_READ_BYTES;
  #averageSkippable = 2 * MIN_AVERAGE_SKIP_BYTES;

  /** After a read, `skippable` bytes of the file are not needed. Returns how many of them to skip, and sets `wanted`. */
  skip(skippable: number): number {
    this.#averageSkippable += Math.trunc((skippable - this.#averageSkippable) / READS_AVERAGED);
    const isSkipping = this.#averageSkippable >= MIN_AVERAGE_SKIP_BYTES;
    if (isSkipping && skippable >= MIN_SKIP_BYTES) {
      this.wanted = SMALLEST_READ_BYTES;
      return skippable;
    }
    this.wanted = isSkipping ? Math.min(2 * this.wanted, LARGEST_READ_BYTES) : LARGEST_READ_BYTES;
    return 0;
  }
}

/** A consumer that refers to the bytes of a message until it is complete, such as `FileJudge`. */
export interface BufferedConsumer {
  /** Whether pushed bytes are still referenced. */
  readonly holdsBytes: boolean;
  /** Count of completely consumed messages. */
  readonly mediaMessages: number;
}

/** Holds two reads of the largest size, so that a message over several of them seldom needs a third buffer. */
const BUFFER_BYTES = 2 * LARGEST_READ_BYTES;

/** Two buffers that are filled in turn, so that reading a file makes no memory. */
export class ReadBuffers {
  /** The next read is put into `buffer` from `used` on, which its reader then moves on. */
  buffer = new Uint8Array(BUFFER_BYTES);
  used = 0;
  #other = new Uint8Array(BUFFER_BYTES);
  #messagesBefore = 0;

  /** Makes room for `size` bytes that `consumer` does not refer to. */
  reserve(size: number, { holdsBytes, mediaMessages }: BufferedConsumer): void {
    if (!holdsBytes) this.used = 0;
    if (this.used + size <= this.buffer.length) return;
    // A message that began in the current buffer has no bytes in the other one.
    const isOtherFree = mediaMessages !== this.#messagesBefore;
    [this.buffer, this.#other] = [isOtherFree ? this.#other : new Uint8Array(BUFFER_BYTES), this.buffer];
    this.used = 0;
    this.#messagesBefore = mediaMessages;
  }
}

/**
 * A file read where somebody looks at it: of a frame its headers, not its payload, which is nearly all of a recording.
 * Reads wait: nothing else has to be done meanwhile, and each is a system call of a microsecond.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Fits the sound between two frames and the head of the second one. */
const SMALLEST_READ_BYTES = 1024;
/** Where nothing is left out, larger reads cost less; still larger ones leave the processor's cache. */
const LARGEST_READ_BYTES = 128 * 1024;
/** The system copies so much in the time that one more read takes: frames that are mostly smaller are read through. */
const WORTH_LEAVING_OUT_BYTES = 12 * 1024;
/** Between larger frames a small one is left out as well, since a read follows anyway. */
const LEAST_LEFT_OUT_BYTES = 4096;
/** What could be left out is averaged over about so many reads. */
const READS_AVERAGED = 32;
/** Who shows how far it is looks at the clock anyway. */
const READS_BETWEEN_TOLD = 64;
const BUFFER_BYTES = 2 * LARGEST_READ_BYTES;

/** Who takes the bytes; `FileJudge` is one. */
export interface SparseConsumer {
  push(bytes: Uint8Array, from: number, to: number): void;
  /** How many of the next bytes need not be read. */
  readonly unwanted: number;
  skip(count: number): void;
  /** What was pushed is still needed. */
  readonly holdsBytes: boolean;
  /** Grows with each message that was taken whole. */
  readonly mediaMessages: number;
}

/** `onRead` is called every so many reads. */
export function readWanted(path: string, looker: SparseConsumer, onRead: () => void): void {
  const file = openSync(path, 'r');
  try {
    const { size: fileBytes } = fstatSync(file);
    let [buffer, other] = [Buffer.allocUnsafeSlow(BUFFER_BYTES), Buffer.allocUnsafeSlow(BUFFER_BYTES)];
    let used = 0;
    let messagesBefore = 0;
    let wanted = LARGEST_READ_BYTES;
    let usuallyLeft = 2 * WORTH_LEAVING_OUT_BYTES;
    let position = 0;
    for (let reads = 1; ; reads++) {
      if (!looker.holdsBytes) used = 0;
      if (used + wanted > buffer.length) {
        // A message that began since this buffer was begun has nothing in the other one.
        const isOtherFree = looker.mediaMessages !== messagesBefore;
        [buffer, other] = [isOtherFree ? other : Buffer.allocUnsafeSlow(BUFFER_BYTES), buffer];
        used = 0;
        messagesBefore = looker.mediaMessages;
      }
      const size = readSync(file, buffer, used, wanted, position);
      if (size === 0) return;
      looker.push(buffer, used, used + size);
      used += size;
      position += size;
      // Past the end there is nothing to leave out: a file that was cut off is to be seen as that.
      const left = Math.min(looker.unwanted, fileBytes - position);
      usuallyLeft += Math.trunc((left - usuallyLeft) / READS_AVERAGED);
      const leavesOut = usuallyLeft >= WORTH_LEAVING_OUT_BYTES;
      if (leavesOut && left >= LEAST_LEFT_OUT_BYTES) {
        looker.skip(left);
        position += left;
        wanted = SMALLEST_READ_BYTES;
      } else {
        wanted = leavesOut ? Math.min(2 * wanted, LARGEST_READ_BYTES) : LARGEST_READ_BYTES;
      }
      if (reads % READS_BETWEEN_TOLD === 0) onRead();
    }
  } finally {
    closeSync(file);
  }
}

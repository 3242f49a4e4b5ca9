/** A file in pieces for a reader that keeps views of them until the tag they belong to is whole. */
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 2 * 1024 * 1024;

/**
 * Two buffers take turns. A buffer is written again only when a message was handed out while the other one was read: what is
 * still unfinished then began in that other one. A message that spans more gets fresh buffers.
 */
export function* pieces(path: string, messagesSoFar: () => number): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    let [current, other] = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)];
    for (;;) {
      const size = readSync(file, current, 0, PIECE_BYTES, null);
      if (size === 0) return;
      const before = messagesSoFar();
      yield current.subarray(0, size);
      const isOtherFree = messagesSoFar() !== before;
      [current, other] = [isOtherFree ? other : Buffer.allocUnsafe(PIECE_BYTES), current];
    }
  } finally {
    closeSync(file);
  }
}

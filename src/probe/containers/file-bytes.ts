/** Random access to a file. Every number read from it is untrusted. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface FileBytes {
  readonly size: number;
  /** Up to `count` bytes at `at`; fewer at the end of the file, none outside it. */
  read(at: number, count: number): Buffer;
}

/** Opens the file for the duration of the callback. */
export function withFile<Value>(path: string, use: (file: FileBytes) => Value): Value {
  const handle = openSync(path, 'r');
  try {
    const { size } = fstatSync(handle);
    return use({
      size,
      read(at, count) {
        if (at < 0 || at >= size) return Buffer.alloc(0);
        const bytes = Buffer.alloc(Math.min(count, size - at));
        return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, at));
      },
    });
  } finally {
    closeSync(handle);
  }
}

/** The problem of a file in which a part of known length is incomplete. */
export function truncated(what: string, says: number, there: number): string {
  return `truncated file: ${what} has ${Math.max(0, there)} of ${says} bytes`;
}

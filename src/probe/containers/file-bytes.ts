/** A file that is looked at here and there. Every number read from it is a claim of somebody else. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface FileBytes {
  readonly size: number;
  /** So many bytes from there on, or as many as there are: none before the start or behind the end. */
  read(at: number, count: number): Buffer;
}

/** Calls back with the file open. */
export function withFile<Value>(path: string, look: (file: FileBytes) => Value): Value {
  const handle = openSync(path, 'r');
  try {
    const { size } = fstatSync(handle);
    return look({
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

/** What every one of the containers says that knows how long its parts are. */
export function missing(what: string, says: number, there: number): string {
  return `it was cut off: ${what} is ${says} bytes long, of which ${Math.max(0, there)} are there`;
}

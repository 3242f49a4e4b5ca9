/** The last sequence parameter sets in the frames of a track: encoders repeat them unchanged before each IDR picture. */
import type { SliceCursor } from '../../bytes/slice-cursor.js';
import { wireCodeOf } from '../../bytes/wire-error.js';
import { parseSps, type Sps } from '../h264/sps.js';

const REMEMBERED = 4;

interface SeenSps {
  readonly bytes: Uint8Array;
  readonly sps: Sps | undefined;
  /** Code of the error with which it cannot be parsed. */
  readonly fault: string | undefined;
}

export class SpsMemory {
  readonly #seen: SeenSps[] = [];
  #count = 0;

  /** The NAL unit of `size` bytes at `offset`: parsed, unless it is one of the last. */
  read(cursor: SliceCursor, offset: number, size: number): SeenSps {
    return this.#recall(cursor, offset, size) ?? this.#remember(cursor, offset, size);
  }

  #recall(cursor: SliceCursor, offset: number, size: number): SeenSps | undefined {
    for (const seen of this.#seen) {
      if (seen.bytes.length !== size) continue;
      cursor.seek(offset);
      if (cursor.matches(seen.bytes)) return seen;
    }
    return undefined;
  }

  #remember(cursor: SliceCursor, offset: number, size: number): SeenSps {
    const bytes = new Uint8Array(size);
    cursor.seek(offset);
    for (let i = 0; i < size; i++) bytes[i] = cursor.u8();
    const seen = parsed(bytes);
    this.#seen[this.#count++ % REMEMBERED] = seen;
    return seen;
  }
}

function parsed(bytes: Uint8Array): SeenSps {
  try {
    return { bytes, sps: parseSps(bytes), fault: undefined };
  } catch (error) {
    return { bytes, sps: undefined, fault: wireCodeOf(error) };
  }
}

/** A container: its demuxers, and how truncation is detected. */
import type { FileBytes } from './file-bytes.js';

export interface Container {
  /** ffmpeg demuxers of this container. `validate` forces one of these and never lets ffmpeg guess. */
  readonly demuxers: readonly string[];
  /** The missing part of a truncated file; undefined when no truncation is detected. Absent: truncation is undetectable. */
  findTruncation?(file: FileBytes): string | OpenEnd | undefined;
}

/** A transport stream that ends at a packet boundary: only a decoder can tell whether the last frame is complete. */
export interface OpenEnd {
  readonly pid: number;
  /** The last packets of the file. */
  readonly tail: Buffer;
  /** Tail without the packets of the last frame. */
  readonly tailBefore: Buffer;
}

export const ascii = (bytes: Buffer, at: number, size: number): string => bytes.toString('latin1', at, at + size);

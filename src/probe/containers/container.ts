/** A container: how it is recognized by its first bytes, and how truncation is detected. */
import type { FileBytes } from './file-bytes.js';

export interface Format {
  readonly container: string;
  /** ffmpeg demuxer to force. Undefined: the format is not opened. */
  readonly demuxer: string | undefined;
  readonly docType?: string;
}

export interface Container {
  /** ffmpeg demuxers of this container. `validate` forces one of these and never lets ffmpeg guess. */
  readonly demuxers: readonly string[];
  /** Undefined when the first bytes are not those of this container. */
  recognize(head: Buffer): Format | undefined;
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

/** Bytes that recognition may need. */
export const SNIFF_BYTES = 64 * 1024;

export const opened = (container: string, demuxer: string): Format => ({ container, demuxer });
export const named = (container: string): Format => ({ container, demuxer: undefined });
export const UNKNOWN = named('unknown');

export const ascii = (bytes: Buffer, at: number, size: number): string => bytes.toString('latin1', at, at + size);

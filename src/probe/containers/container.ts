/** What a container is to this module: recognized by its first bytes, and checked for whether its end is missing. */
import type { FileBytes } from './file-bytes.js';

export interface Format {
  readonly container: string;
  /** The one that ffmpeg is forced to. Undefined: not opened. */
  readonly demuxer: string | undefined;
  readonly docType?: string;
}

export interface Container {
  /** Names of ffmpeg's demuxers for it. `validate` opens files with these and no others. */
  readonly demuxers: readonly string[];
  /** Undefined when the first bytes are not those of this container. */
  recognize(head: Buffer): Format | undefined;
  /** What is missing when the file was cut off; undefined when it is not known to be. Absent: the container does not tell. */
  findCut?(file: FileBytes): string | OpenEnd | undefined;
}

/** The end of a transport stream, cut behind a whole packet: only a decoder can tell whether the last frame is whole. */
export interface OpenEnd {
  readonly pid: number;
  /** Packets as they are in the file. */
  readonly tail: Buffer;
  /** The same without those of the frame that came last. */
  readonly tailBefore: Buffer;
}

/** As much of a file as recognizing its container may need. */
export const SNIFF_BYTES = 64 * 1024;

export const opened = (container: string, demuxer: string): Format => ({ container, demuxer });
export const named = (container: string): Format => ({ container, demuxer: undefined });
export const UNKNOWN = named('unknown');

export const ascii = (bytes: Buffer, at: number, size: number): string => bytes.toString('latin1', at, at + size);

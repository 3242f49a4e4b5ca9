/** ffmpeg and ffprobe as the media jobs use them (implemented by `probe/media-tools.ts`). */
import type { ProbedFile } from '../../facts/probed-file.js';

export interface MediaPort {
  /** An unreadable file is a result with `facts.fault`, not an error. */
  probe(path: string, signal?: AbortSignal): Promise<ProbedFile>;
  /** Writes a fast-start MP4. */
  convert(conversion: {
    readonly input: string | AsyncIterable<Uint8Array>;
    readonly demuxer: string;
    readonly output: string;
    readonly video: 'copy' | 'encode' | 'none';
    readonly audio: 'copy' | 'encode' | 'none';
    readonly lengthMs?: number;
    /** The conversion fails with TOOL_LIMIT when it takes longer. */
    readonly limitMs?: number;
    readonly onProgress?: (part: number) => void;
    readonly signal?: AbortSignal;
  }): Promise<void>;
  /** Writes the frame at `atMs` as a JPEG. */
  picture(request: {
    readonly input: string;
    readonly demuxer: string;
    readonly atMs: number;
    readonly output: string;
    readonly signal?: AbortSignal;
  }): Promise<void>;
}

/** Requests of the media jobs to ffmpeg. */

export interface Conversion {
  /** Path of a local file, or a byte stream. */
  readonly input: string | AsyncIterable<Uint8Array>;
  readonly demuxer: string;
  readonly output: string;
  /** `encode` gives H.264 video and AAC audio. */
  readonly video: 'copy' | 'encode' | 'none';
  readonly audio: 'copy' | 'encode' | 'none';
  /** Needed for progress from 0 to 1. */
  readonly lengthMs?: number;
  /** The conversion fails with TOOL_LIMIT when it takes longer. */
  readonly limitMs?: number;
  readonly onProgress?: (part: number) => void;
  readonly signal?: AbortSignal;
}

export interface PictureRequest {
  readonly input: string;
  readonly demuxer: string;
  readonly positionMs: number;
  readonly output: string;
  readonly signal?: AbortSignal;
}

/** Result of probing a file: input of the upload rules and of playback. Plain data. */
import type { FileFacts } from './file-facts.js';

export interface ProbedVideo {
  /** FFmpeg's codec name: 'h264'. */
  readonly codec: string;
  readonly profile?: string;
  /** level_idc for H.264. */
  readonly level?: number;
  readonly pixelFormat?: string;
  /** Display size: sample aspect and rotation applied. */
  readonly width: number;
  readonly height: number;
  /** Mean frames per second; absent if the file does not give it. */
  readonly frameRate?: number;
}

export interface ProbedAudio {
  readonly codec: string;
  readonly profile?: string;
  readonly sampleRate: number;
  readonly channels: number;
}

export interface ProbedFile {
  /** For the rules. */
  readonly facts: FileFacts;
  /** By content: 'mp4', 'mkv', 'mpegts' … or the name of an unsupported format; otherwise 'unknown'. */
  readonly container: string;
  /** The FFmpeg demuxer that was forced; undefined if the file was not opened. */
  readonly demuxer: string | undefined;
  readonly sizeBytes: number;
  readonly lengthMs: number;
  readonly video?: ProbedVideo;
  readonly audio?: ProbedAudio;
  /** MP4: `moov` precedes `mdat`, so that playback can start before the download ends. */
  readonly fastStart: boolean;
}

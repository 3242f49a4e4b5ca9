/** A file as the probe saw it: what the upload rules judge, and what a player needs to know. Plain data. */
import type { FileFacts } from './file-facts.js';

export interface ProbedVideo {
  /** FFmpeg's codec name: 'h264'. */
  readonly codec: string;
  readonly profile?: string;
  /** level_idc for H.264. */
  readonly level?: number;
  readonly pixelFormat?: string;
  /** Shown size: sample aspect and rotation applied. */
  readonly width: number;
  readonly height: number;
  /** Mean frames a second; absent where the file does not say. */
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
  /** By content: 'mp4', 'mkv', 'mpegts' … or the name of a format that is not opened; 'unknown' else. */
  readonly container: string;
  /** FFmpeg's demuxer that was forced; undefined when the file was not opened. */
  readonly demuxer: string | undefined;
  readonly sizeBytes: number;
  readonly lengthMs: number;
  readonly video?: ProbedVideo;
  readonly audio?: ProbedAudio;
  /** MP4: the index stands before the media, so that a player can begin at once. */
  readonly fastStart: boolean;
}

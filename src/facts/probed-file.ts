/** Result of probing a file: input of the upload rules and of playback. Plain data. */

/** Facts of an uploaded file, from the probe: by content, never by file name. Plain data. */
export interface FileVideoFacts {
  readonly width: number;
  readonly height: number;
  /** The container does not say the size, and no decoder was asked: both are 0. */
  readonly isSizeUnknown?: true;
  /** Sample aspect ratio, width / height; 1 if the file does not give one. */
  readonly sampleAspect: number;
  /** Rotation for display: 0, 90, 180 or 270, of either sign. */
  readonly rotationDegrees: number;
}

export interface FileAudioFacts {
  /** FFmpeg's codec name: 'aac', 'mp3'. */
  readonly codec: string;
  readonly profile?: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Undefined if neither stream nor container gives one. */
  readonly bitrateKbps?: number;
}

export interface FileFacts {
  /** Demuxer names as FFmpeg gives them ('mov,mp4,m4a,3gp,3g2,mj2' is six); empty if no format was recognized. */
  readonly formatNames: readonly string[];
  /** DocType of a Matroska file, if known: 'webm' and 'matroska' share a demuxer. */
  readonly docType?: string;
  /** Why the file cannot be read; undefined if it can. */
  readonly fault?: string;
  readonly video?: FileVideoFacts;
  /** Absent if there is no audio, which is not a fault. */
  readonly audio?: FileAudioFacts;
}

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

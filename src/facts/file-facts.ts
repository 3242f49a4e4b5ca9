/** What is known of an uploaded file: filled by the probe, by content and never by name. Plain data. */

export interface FileVideoFacts {
  readonly width: number;
  readonly height: number;
  /** Width / height of a sample; 1 where the file does not say. */
  readonly sampleAspect: number;
  /** Turn before showing: 0, 90, 180 or 270, of either sign. */
  readonly rotationDegrees: number;
}

export interface FileAudioFacts {
  /** FFmpeg's codec name: 'aac', 'mp3'. */
  readonly codec: string;
  readonly profile?: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Undefined where neither stream nor container gives one. */
  readonly bitrateKbps?: number;
}

export interface FileFacts {
  /** Demuxer names as FFmpeg gives them ('mov,mp4,m4a,3gp,3g2,mj2' is six); empty when no format was recognised. */
  readonly formatNames: readonly string[];
  /** DocType of a Matroska file, where known: 'webm' and 'matroska' share a demuxer. */
  readonly docType?: string;
  /** Why nothing can be read; undefined for a file that can be. */
  readonly fault?: string;
  readonly video?: FileVideoFacts;
  /** Absent when there is no audio, which is no fault. */
  readonly audio?: FileAudioFacts;
}

/** A file of any container as its reader gives it. */
import { SliceList } from '../../bytes/slices.js';

export interface FileTrack {
  /** Number of the track in the file, from 0. */
  readonly index: number;
  readonly kind: 'video' | 'audio';
  /** Name of FFmpeg. */
  readonly codec: string;
  /** Name of the profile, where frames were decoded. */
  readonly profile: string;
  /** Codec long name, sample rate and channels, as one text. */
  readonly details: string;
}

/** Codecs that the rules parse and that FLV carries with any settings; other codecs are judged by name only. */
export const isReadable = (track: Pick<FileTrack, 'codec'>): boolean => track.codec === 'h264' || track.codec === 'aac';

/** A track as the reader of its container found it. */
export interface SourceTrack extends FileTrack {
  /** Units of its times. */
  readonly ticksPerSecond: number;
  /** AVCDecoderConfigurationRecord or AudioSpecificConfig; undefined until they are known. */
  readonly settings: Uint8Array | undefined;
  /** Size of the picture by the container, where it says it. */
  readonly size?: { readonly width: number; readonly height: number } | undefined;
  /** Sample aspect ratio by the container, width over height; undefined: it says none. */
  readonly sampleAspect?: number | undefined;
  /** Rotation for display by the container, in degrees. */
  readonly rotationDegrees?: number | undefined;
  /** Sound by the container, or by its first frame; 0: neither says it. */
  readonly sound?: { readonly rate: number; readonly channels: number } | undefined;
  /** The frames say the settings: FFmpeg sends a header without any, and the settings with the first frame. */
  readonly areSettingsInFrames?: boolean;
}

/** A coded frame. One object is reused for all frames of a reader: valid until the next one. */
export interface Frame {
  track: SourceTrack;
  /** In units of the track, which may be negative. */
  decodeTime: number;
  presentationTime: number;
  /** 0: the container does not say it. */
  duration: number;
  isKey: boolean;
  /** An edit list leaves this frame out. */
  isDiscarded: boolean;
  /** Settings that hold from this frame on, where they are new. */
  settings: Uint8Array | undefined;
  /** A hole for a codec that is judged by name only. */
  readonly data: SliceList;
  /** Bytes in front of the data that FFmpeg counts as part of the frame: the header of ADTS. */
  headerBytes: number;
  /** Position of the frame in the file. */
  byteOffset: number;
}

export const newFrame = (track: SourceTrack): Frame => ({
  track,
  decodeTime: 0,
  presentationTime: 0,
  duration: 0,
  isKey: false,
  isDiscarded: false,
  settings: undefined,
  data: new SliceList(),
  headerBytes: 0,
  byteOffset: 0,
});

/** The reader of an opened file. */
export interface Reader {
  /** FFmpeg's short name of the format. */
  readonly container: string;
  /** Program that wrote the file, as it says; '' if it does not. */
  readonly encoder: string;
  /** Video and audio tracks, in the order of the file. Pictures of a cover do not count. */
  readonly tracks: readonly SourceTrack[];
  /** Earliest presentation time of the file in seconds. */
  readonly startS: number;
  /** Start of each track in seconds, where FFmpeg counts from the earliest of the tracks that it reads. */
  readonly startsS?: ReadonlyMap<number, number>;
  /** An edit list leaves out parts of the tracks. */
  readonly isEdited: boolean;
  /** Why the file is incomplete. Final after the last frame. */
  readonly problem: string | undefined;
  /** Only a decoder can tell whether the last frame is complete. Final after the last frame. */
  readonly isEndOpen?: boolean;
  /**
   * Frames of the tracks of these numbers, each track in decode order. `onlySizes`: the content of frames may be left out where that
   * saves reading it. @throws WireError for a file that cannot be read on
   */
  frames(wanted: ReadonlySet<number>, onlySizes?: boolean): AsyncIterable<Frame>;
}

/** A message as an encoder would send it for a frame. One object is reused. */
export interface FileMessage {
  kind: 'audio' | 'video';
  timestampMs: number;
  /** Body of an FLV tag. */
  payload: SliceList;
  isDiscarded: boolean;
  byteOffset: number;
}

export interface MediaFile {
  readonly container: string;
  readonly encoder: string;
  /** The first video and the first audio track, as an encoder would send them. */
  readonly tracks: readonly FileTrack[];
  /** Number of further video and audio tracks. */
  readonly otherTracks: number;
  readonly isEdited: boolean;
  /** Values of `onMetaData` that an encoder would send for these tracks. */
  readonly claims: Readonly<Record<string, number | boolean>>;
  /** Placeholder names of the judge for codecs that it does not know, each with the name of the codec. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Why the file is incomplete. Final after the last message. */
  readonly problem: string | undefined;
  /** Only a decoder can tell whether the last frame is complete. Final after the last message. */
  readonly isEndOpen: boolean;
  /** Numbers of the tracks that had frames. Final after the last message. */
  readonly filledTracks: ReadonlySet<number>;
  /** The messages of the tracks by their decode times. @throws WireError for a file that cannot be read on */
  messages(): AsyncIterable<FileMessage>;
}

/** The problem of a file in which a part of known length is incomplete. */
export function cut(what: string, says: number, there: number): string {
  return `truncated file: ${what} has ${Math.max(0, there)} of ${says} bytes`;
}

/** The port by which recorder, relay and probe receive the packets of a running broadcast. */
import type { SliceList } from '../bytes/slices.js';
import type { MatchDetails } from '../spec/error-record.js';
import type { StreamHealth } from './broadcasts.js';

/** Receives the packets of one broadcast. Must not keep the list `payload` beyond the call and must not throw. */
export interface MediaTap {
  /** True: copies the bytes that it needs within the call. Absent: may keep them, so they are never overwritten. */
  readonly copies?: boolean;
  /** True: currently needs sequence headers only. While all taps are idle, payload is not kept. */
  readonly isIdle?: boolean;
  /** The video track that it gets, in the form of a single track; absent: the first. */
  readonly track?: number;
  /** True: gets every track of video and audio, each message in the form of a single track, with its number. */
  readonly allTracks?: boolean;
  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList, track?: number): void;
  /** Codes of the open records with the severity `error`, when they change: after the packet that changed them. */
  judged?(openErrors: readonly number[]): void;
  close(): void;
}

/** Decodes key frames of running broadcasts, in this process or in the one that opens media. A sample is an FLV file. */
export interface PictureDecoding {
  /** Whether a sample would be taken now. */
  readonly hasRoomForPicture: boolean;
  /** The first picture as 160x90 gray values, 0 (black) to 255. @throws what says that it was not decoded */
  picture(flv: Uint8Array): Promise<Uint8Array>;
}

/** Decodes key frames for display. What the rules need is decoded first. */
export interface StillDecoding {
  /** Whether a sample would be taken now. */
  readonly hasRoomForStill: boolean;
  /** The first picture as a JPEG of at most 640x360. @throws what says that it was not decoded */
  still(flv: Uint8Array): Promise<Uint8Array>;
}

/** The broadcast that a tap belongs to. It is told what the tap finds. */
export interface TappedStream {
  readonly liveVideoId: string;
  /** False: the owner has reached its limit of stored bytes. */
  readonly hasStorage: boolean;
  readonly ownerId: string;
  /** The broadcast was LIVE before this publish. */
  readonly isResumed: boolean;
  /** Ids of the deployments that the stream passed before this one. */
  readonly passed: readonly string[];
  /** Stream as the judge sees it; undefined while nothing is received. */
  health(): StreamHealth | undefined;
  /** Raises a record. Ignored while nothing is received. */
  note(code: number, observed: string, match?: MatchDetails): void;
  /** Ends the broadcast for content of this Page. @throws ServiceError if it is over, StoreUnavailableError */
  stopForCopyright(pageName: string): Promise<void>;
}

/** Creates taps: `live` taps receive packets from LIVE on, `publish` taps from the accepted publish on. */
export interface TapSource {
  open(stream: TappedStream, when: 'publish' | 'live'): MediaTap | undefined;
}

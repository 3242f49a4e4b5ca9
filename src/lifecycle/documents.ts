/** Stored documents other than error records. JSON-safe; times are milliseconds since the Unix epoch. */
import type { MatchDetails, RecordBody } from '../spec/error-record.js';
import type { OwnerKind } from '../spec/owner-kinds.js';
import type { EncoderSetup } from './encoder-setup.js';

export type { OwnerKind };

export interface Privacy {
  readonly value: 'EVERYONE' | 'ALL_FRIENDS' | 'FRIENDS_OF_FRIENDS' | 'SELF' | 'CUSTOM';
  readonly allow: string;
  readonly deny: string;
}

export interface OwnerData {
  readonly name: string;
  readonly username?: string;
  /** Users only: inputs of the eligibility check (60 days, 100 followers). */
  readonly profileCreatedMs?: number;
  readonly followers?: number;
  /** Pages: version of the persistent stream key; absent while it is disabled. */
  readonly persistentKeyVersion?: number;
  /** Pages: the live video that receives a publish with the persistent key, while it can still accept one. */
  readonly persistentLiveVideoId?: string;
  /** Limits of this owner, overriding the server's; 0 means unlimited. */
  readonly maxPublishers?: number;
  readonly maxObjects?: number;
  readonly maxBytes?: number;
  readonly [field: string]: unknown;
}

export type BroadcastStatus =
  | 'UNPUBLISHED'
  | 'LIVE'
  | 'LIVE_STOPPED'
  | 'PROCESSING'
  | 'VOD'
  | 'SCHEDULED_UNPUBLISHED'
  | 'SCHEDULED_LIVE'
  | 'SCHEDULED_EXPIRED'
  | 'SCHEDULED_CANCELED';

/** The input streams of a live video: `0` is the primary one, `1` the backup. */
export type InputNumber = '0' | '1';

/** Independent of the status: an encoder can be connected to a broadcast that is not published. */
export type StreamState = 'waiting' | 'connected' | 'interrupted' | 'ended';

export interface EndReason {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** A change of the settings of a running encoder. */
export interface Retune {
  /** The settings that are replaced: a publish with them is refused meanwhile. */
  readonly configId: string;
  readonly untilMs: number;
}

export interface LiveVideoData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly videoId: string;
  readonly status: BroadcastStatus;
  /** LIVE_NOW was requested; the status becomes LIVE when valid data arrives. */
  readonly goLiveOnData: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: Privacy;
  readonly keyVersion: number;
  readonly stopOnDeleteStream: boolean;
  readonly plannedStartMs?: number;
  readonly isManualMode?: boolean;
  readonly stream: StreamState;
  readonly streamSinceMs?: number;
  /** The encoder unpublished, so that it was not interrupted. Until the next publish. */
  readonly isStopped?: boolean;
  /** Fence of the lease of the last publish: a process that lost the lease, and does not know it yet, changes nothing. */
  readonly publishFence?: number;
  /** When the status became LIVE; the 8-hour limit counts from here. */
  readonly broadcastStartMs?: number;
  /** Chosen by the operator: a short profile name or `auto`, and kbps or 0. */
  readonly encoderProfile?: string;
  readonly encoderKbps?: number;
  /** Encoders are asked for several video tracks. */
  readonly isMultitrack?: boolean;
  /** The last settings that the server gave an encoder of this broadcast, and whether the current or last publish used them. */
  readonly encoderSetup?: EncoderSetup;
  readonly isSetUp?: boolean;
  /** Set while the operator changes the settings of the running encoder. */
  readonly retune?: Retune;
  readonly endedMs?: number;
  readonly endReason?: EndReason;
  /** The operator's decision on a copyright match; absent: the reason of the end decides. */
  readonly copyrightDecision?: 'withheld' | 'released';
  /** Its cross-posted copies at other Pages, which are written with it. */
  readonly crosspostCopies?: readonly string[];
  /** The broadcast that a cross-posted copy shows. The copy has no stream key. */
  readonly crosspostOf?: string;
  /** Copy of the flag of its Video. */
  readonly isWithdrawn?: boolean;
  readonly expiration?: VideoData['expiration'];
  /** Set at the end: codes of the rules that were judged. A judged rule without a record passed; the others have no data. */
  readonly judgedCodes?: readonly number[];
  /** IDs of its input streams: the primary one, then the backup, if there is one. */
  readonly inputStreamIds?: readonly string[];
  /** The primary input stream returns on air by itself after ten good seconds. */
  readonly isBackupReturn?: boolean;
  /** State from which a judge resumes after a reconnect, a restart or on another machine (JSON of `JudgeResume`). */
  readonly judge?: unknown;
  readonly [field: string]: unknown;
}

export interface VideoData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: Privacy;
  readonly published: boolean;
  /** Present for the video of a broadcast, whose error records it shares. */
  readonly liveVideoId?: string;

  // Written by the HTTP interface.
  readonly scheduledPublishMs?: number;
  /** When the owner published a scheduled video or a draft. */
  readonly publishedMs?: number;
  /** Recordings: unpublished by the owner (`published=false`). */
  readonly isWithdrawn?: boolean;
  /** Withheld for copyright: by the operator, or a recording whose deleted live video had been stopped. */
  readonly isCopyrightStopped?: boolean;
  /** The print of its sound: made once it is a reference or must be compared with references. */
  readonly print?: { readonly key: string; readonly version: number; readonly sourceKey: string };
  /** Absent: not compared with any reference. */
  readonly copyrightCheck?: {
    readonly status: 'in_progress' | 'complete';
    readonly matches: readonly MatchDetails[];
  };
  /** Only a reference: not shown to anyone. */
  readonly isReferenceOnly?: boolean;
  /** False: no owner may cross-post it. */
  readonly crosspostingEligible?: boolean;
  /** DRAFT, SCHEDULED, …: only for an unpublished video. */
  readonly unpublishedContentType?: string;
  readonly embeddable?: boolean;
  readonly contentCategory?: string;
  readonly contentTags?: readonly string[];
  readonly customLabels?: readonly string[];
  readonly sponsorId?: string;
  readonly backdatedMs?: number;
  readonly backdatedGranularity?: string;
  readonly expiration?: { readonly timeMs: number; readonly type: string };
  readonly adBreaksMs?: readonly number[];
  readonly universalVideoId?: string;
  /** Group videos: the user who uploaded it. */
  readonly fromId?: string;
  /** Page videos: the user who posted it. */
  readonly adminCreatorId?: string;
  /** Pages and groups allowed to cross-post this video. */
  readonly crosspostPageIds?: readonly string[];
  /** Original of a cross-posted copy; the copy shares its files and thumbnails. */
  readonly crosspostOf?: string;
  readonly preferredThumbnailId?: string;
  /** Locale of the captions that are shown by default. */
  readonly defaultLocale?: string;
  readonly spherical?: boolean;

  // Written by uploads and recordings.
  readonly lengthMs?: number;
  /** Bytes charged to the owner's quota: the announced size during the upload, then the size of the stored file. */
  readonly chargedBytes?: number;
  /** Path below `/files/`, or an absolute URL. */
  readonly sourceUrl?: string;
  readonly width?: number;
  readonly height?: number;
  /** uploading, upload_complete, upload_failed, expired, processing, ready or error; absent means ready. */
  readonly videoStatus?: string;
  /** Recordings: parts that were not uploaded in time. The video is made again when they turn up. */
  readonly missingParts?: readonly string[];
  /** The record of them, which is cleared when the video has been made with all parts. */
  readonly missingRecord?: { readonly fence: number; readonly body: RecordBody };
  /** Recordings: when retention removed the file and set `videoStatus` to `expired`. */
  readonly recordingRemovedMs?: number;
  /** 0 to 100. */
  readonly processingProgress?: number;
  readonly bytesTransferred?: number;
  readonly sourceFileSize?: number;
  readonly phaseErrors?: readonly { readonly code: number; readonly message: string }[];
  /** With `videoStatus` `error`: the job resumes once the missing server dependency is available. */
  readonly isRetried?: boolean;
  readonly [field: string]: unknown;
}

/** Remains of a deleted live video or video. */
export interface Tombstone {
  readonly was: 'live_video' | 'video';
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  /** Whether it was visible to everyone. */
  readonly wasPublic: boolean;
  /** Live video of a broadcast's Video, whose records it shared. */
  readonly liveVideoId?: string;
  /** The Video that has the recording of a deleted live video, or will have it. */
  readonly keptVideoId?: string;
}

export interface TokenData {
  /** SHA-256 of the token, lower-case hex. The token itself is never stored. */
  readonly hash: string;
  readonly ownerId: string;
  readonly ownerKind: OwnerKind | 'app' | 'operator';
  readonly scopes: readonly string[];
  readonly expiresMs?: number;
  readonly revokedMs?: number;
  readonly label?: string;
  /** The token from which this one was made. */
  readonly parentId?: string;
  readonly [field: string]: unknown;
}

/** A session of the dashboard. Its id is made from the hash of the cookie, which is never stored. */
export interface SessionData {
  readonly ownerId: string;
  readonly tokenId: string;
  /** The token and its app secret proof, sealed with the cookie. */
  readonly sealed: string;
  /** Moves with use, up to `endsMs`. */
  readonly expiresMs: number;
  readonly endsMs: number;
  /** SHA-256 of the code of the sign-in link that began it. */
  readonly codeHash?: string;
  readonly [field: string]: unknown;
}

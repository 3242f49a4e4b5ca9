/** The documents that the store keeps, beside the error log. JSON-safe; times are milliseconds since 1970. */

export type OwnerKind = 'page' | 'group' | 'user';

export interface Privacy {
  readonly value: 'EVERYONE' | 'ALL_FRIENDS' | 'FRIENDS_OF_FRIENDS' | 'SELF' | 'CUSTOM';
  readonly allow: string;
  readonly deny: string;
}

export interface OwnerData {
  readonly name: string;
  readonly username?: string;
  /** Users only: what eligibility is judged by (60 days, 100 followers). */
  readonly profileCreatedMs?: number;
  readonly followers?: number;
  /** Pages: the version of the persistent stream key, absent while it is disabled. */
  readonly persistentKeyVersion?: number;
  /** Pages: the live video that a publish with the persistent key goes to, while it can still take one. */
  readonly persistentLiveVideoId?: string;
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

/** The stream beside the status: an encoder can be connected to a broadcast that is not published. */
export type StreamState = 'waiting' | 'connected' | 'interrupted' | 'ended';

export interface EndReason {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

export interface LiveVideoData {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly videoId: string;
  readonly status: BroadcastStatus;
  /** LIVE_NOW was asked for; LIVE begins when valid data arrives. */
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
  /** When LIVE began; the 8 hours count from here. */
  readonly broadcastStartMs?: number;
  readonly endedMs?: number;
  readonly endReason?: EndReason;
  /** What the judge needs to go on after a reconnect, a restart or on another machine (JSON of `JudgeResume`). */
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
  /** Present when this is the Video of a broadcast; its errors are the broadcast's. */
  readonly liveVideoId?: string;
  /** A `VideoStatus`: how far uploading and processing are; absent for the Video of a broadcast that is not processed yet. */
  readonly videoStatus?: string;
  /** 0 to 100 while processing. */
  readonly processingProgress?: number;
  readonly bytesTransferred?: number;
  readonly sourceFileSize?: number;
  /** What went wrong in the phase at which it stopped. */
  readonly phaseErrors?: readonly PhaseError[];
  readonly lengthMs?: number;
  /** Shown size: rotation and sample aspect applied. */
  readonly width?: number;
  readonly height?: number;
  /** Path of the playable file below the HTTP address, to be signed; the blob is `sourceKey`. */
  readonly sourceUrl?: string;
  readonly sourceKey?: string;
  readonly preferredThumbnailId?: string;
  /** Unpublished until then. */
  readonly scheduledPublishMs?: number;
  readonly [field: string]: unknown;
}

export type VideoStatus =
  | 'uploading'
  | 'upload_complete'
  | 'processing'
  | 'ready'
  | 'error'
  | 'upload_failed'
  | 'expired';

export interface PhaseError {
  readonly code: number;
  readonly message: string;
}

/** A picture of a video: an object of kind `thumbnail`, listed in the edge `thumbnails` of the video, oldest first. */
export interface ThumbnailData {
  readonly videoId: string;
  /** Path below the HTTP address, to be signed; the blob is `key`. */
  readonly url: string;
  readonly key: string;
  readonly width: number;
  readonly height: number;
  readonly name?: string;
  readonly [field: string]: unknown;
}

export interface TokenData {
  /** SHA-256 of the token, lower-case hex. The token itself is nowhere. */
  readonly hash: string;
  readonly ownerId: string;
  readonly ownerKind: OwnerKind | 'app' | 'operator';
  readonly scopes: readonly string[];
  readonly expiresMs?: number;
  readonly revokedMs?: number;
  readonly label?: string;
  readonly [field: string]: unknown;
}

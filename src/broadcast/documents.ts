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
  /** Limits of this owner in place of the server's; 0: no bound. */
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
  /** Once it is over: the rules that were judged. One of them without a record was kept; of others nothing is known. */
  readonly judgedCodes?: readonly number[];
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

  // What the HTTP interface writes.
  readonly scheduledPublishMs?: number;
  /** DRAFT, SCHEDULED … of a video that is not published. */
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
  readonly targeting?: unknown;
  /** Who uploaded it to a group. */
  readonly fromId?: string;
  /** The person who posted it for a Page. */
  readonly adminCreatorId?: string;
  /** Pages and groups that may cross-post this video. */
  readonly crosspostPageIds?: readonly string[];
  /** The video that this one is a cross-posted copy of: its bytes and pictures are that one's. */
  readonly crosspostOf?: string;
  readonly preferredThumbnailId?: string;
  /** Of the captions that are shown unasked. */
  readonly defaultLocale?: string;
  readonly spherical?: boolean;

  // What uploads and recordings write.
  readonly lengthMs?: number;
  /** What counts of it towards the stored bytes of its owner: the file that was announced, or that is kept. */
  readonly chargedBytes?: number;
  /** Path that begins with `/files/`, or a whole address. */
  readonly sourceUrl?: string;
  readonly width?: number;
  readonly height?: number;
  /** uploading, upload_complete, upload_failed, expired, processing, ready or error; absent: ready. */
  readonly videoStatus?: string;
  /** Recordings: when the retention removed the file. `videoStatus` is `expired` then. */
  readonly recordingRemovedMs?: number;
  /** 0 to 100. */
  readonly processingProgress?: number;
  readonly bytesTransferred?: number;
  readonly sourceFileSize?: number;
  readonly phaseErrors?: readonly { readonly code: number; readonly message: string }[];
  /** With `error`: its job goes on once what is missing on the server is there. */
  readonly isRetried?: boolean;
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

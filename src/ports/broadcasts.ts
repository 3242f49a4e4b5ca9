/** What the interface and the dashboard ask of the ingest side, and what it tells them. */
import type { BroadcastStatus, LiveVideoData, Privacy } from '../broadcast/documents.js';
import type { ObservedHealth } from '../broadcast/judge-types.js';
import type { StoredObject } from './objects.js';

/** What the running stream looks like now; served as stream_health and on the dashboard. */
export interface StreamHealth extends ObservedHealth {
  readonly atMs: number;
  readonly connected: boolean;
}

export interface NewLiveVideo {
  readonly ownerId: string;
  readonly status?: 'UNPUBLISHED' | 'LIVE_NOW' | 'SCHEDULED_UNPUBLISHED' | 'SCHEDULED_LIVE';
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: Privacy;
  readonly plannedStartMs?: number;
  readonly stopOnDeleteStream?: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type BroadcastRequest =
  | { readonly type: 'go-live' }
  | { readonly type: 'schedule'; readonly plannedStartMs: number }
  | { readonly type: 'scheduled-live' }
  | { readonly type: 'cancel' }
  | { readonly type: 'end' }
  /** Stopped by an operator or a detector. */
  | { readonly type: 'copyright-stop'; readonly pageName: string }
  /** Plain fields of the document: title, description, privacy, … */
  | { readonly type: 'edit'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'persistent-key'; readonly action: 'ENABLE' | 'DISABLE' | 'REGENERATE' };

export interface StreamUrls {
  /** `rtmps://host:port/live/`: what goes into an encoder's server field. */
  readonly base: string;
  readonly key: string;
  /** Both joined. */
  readonly secureStreamUrl: string;
}

/** The one door to the lifecycle: the HTTP interface, the command line and the ingest side all go through it. */
export interface Broadcasts {
  /** @throws ServiceError (privacy, eligibility, unknown owner) */
  create(input: NewLiveVideo): Promise<StoredObject<LiveVideoData>>;
  /** @throws ServiceError for a move that the lifecycle table does not have */
  request(liveVideoId: string, request: BroadcastRequest): Promise<StoredObject<LiveVideoData>>;
  /** Deletes the live video, its records and its edges. @throws ServiceError LIVE_VIDEO__DELETE_FAILED */
  remove(liveVideoId: string): Promise<void>;
  health(liveVideoId: string): Promise<StreamHealth | undefined>;
  urls(live: StoredObject<LiveVideoData>): StreamUrls;
  persistentUrls(ownerId: string): Promise<StreamUrls | undefined>;
}

export interface StateMessage {
  readonly liveVideoId: string;
  readonly ownerId: string;
  readonly status: BroadcastStatus;
  readonly stream: string;
  readonly atMs: number;
}

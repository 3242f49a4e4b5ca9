/** The broadcasts port: requests of the HTTP interface and the dashboard, and the state that they read. */
import type { ObservedHealth } from '../judge/judge-types.js';
import type {
  BroadcastStatus,
  InputNumber,
  LiveVideoData,
  OwnerData,
  Privacy,
  Tombstone,
  VideoData,
} from '../lifecycle/documents.js';
import type { RecordSubject } from '../spec/error-view.js';
import { DERIVED_ID } from './keys.js';
import type { StoredObject, Write } from './objects.js';

/** Current health of the running stream; served as stream_health and on the dashboard. */
export interface StreamHealth extends ObservedHealth {
  readonly atMs: number;
  readonly connected: boolean;
  /** Since the last packet; absent from a process of an older version. */
  readonly silentMs?: number;
  /** ID of the input stream, of a live video with two, and whether it is on air. */
  readonly inputStream?: string;
  readonly onAir?: boolean;
}

export interface NewLiveVideo {
  readonly ownerId: string;
  readonly status?: 'UNPUBLISHED' | 'LIVE_NOW' | 'SCHEDULED_UNPUBLISHED' | 'SCHEDULED_LIVE';
  readonly title?: string;
  readonly description?: string;
  readonly privacy?: Privacy;
  readonly plannedStartMs?: number;
  readonly stopOnDeleteStream?: boolean;
  /** It gets a second input stream, with a key of its own. */
  readonly backup?: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type BroadcastRequest =
  | { readonly type: 'go-live' }
  | { readonly type: 'schedule'; readonly plannedStartMs: number }
  | { readonly type: 'scheduled-live' }
  | { readonly type: 'cancel' }
  /** Puts this input stream on air, which is connected. */
  | { readonly type: 'put-on-air'; readonly inputStreamId: string }
  | { readonly type: 'end' }
  /** The running encoder gets other settings, which it asks for once it was refused. */
  | { readonly type: 'retune'; readonly fields: Readonly<Record<string, unknown>> }
  /** Stopped by an operator or a detector. */
  | { readonly type: 'copyright-stop'; readonly pageName: string }
  /** A copy at each of these Pages that has none, unless the broadcast is over. */
  | { readonly type: 'crosspost'; readonly pageIds: readonly string[] }
  /** Deletes these copies, without their Videos. */
  | { readonly type: 'uncrosspost'; readonly copyIds: readonly string[] }
  /** Plain fields of the document: title, description, privacy, … */
  | { readonly type: 'edit'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'persistent-key'; readonly action: 'ENABLE' | 'DISABLE' | 'REGENERATE' };

export interface StreamUrls {
  /** `rtmps://host:port/live/`: the server URL for the encoder. */
  readonly base: string;
  readonly key: string;
  /** `base` and `key` joined. */
  readonly secureStreamUrl: string;
}

/** A live video whose broadcast is over or never was. */
export interface Deletable {
  readonly live: StoredObject<LiveVideoData>;
  /** The Video has the recording, or will have it. */
  readonly keepsVideo: boolean;
}

/**
 * The entry point to the lifecycle for the HTTP interface, the command line and ingest. `also`: writes for the transaction
 * of the change, such as its audit line.
 */
export interface Broadcasts {
  /** @throws ServiceError (privacy, eligibility, unknown owner) */
  create(input: NewLiveVideo, also?: (liveVideoId: string) => readonly Write[]): Promise<StoredObject<LiveVideoData>>;
  /**
   * A live video of the Page to which its persistent key leads from now on.
   * @throws ServiceError, ConflictError if the Page was changed since it was read
   */
  createNext(
    page: StoredObject<OwnerData>,
    described: Pick<NewLiveVideo, 'title' | 'privacy' | 'backup'>,
  ): Promise<StoredObject<LiveVideoData>>;
  /** @throws ServiceError for a transition that the lifecycle table does not have */
  request(
    liveVideoId: string,
    request: BroadcastRequest,
    also?: readonly Write[],
  ): Promise<StoredObject<LiveVideoData>>;
  /**
   * The first step of a deletion: ends the broadcast, so that its state no longer decides what is deleted. `asked`: a LIVE
   * broadcast is ended for the deletion of its live video, not for that of its Video.
   * @throws ServiceError LIVE_VIDEO__DELETE_FAILED, LIVE_VIDEO__EDIT_API_NOT_ALLOWED
   */
  endForDeletion(liveVideoId: string, asked: 'live_video' | 'video'): Promise<Deletable>;
  /** Deletes the live video and its edges, and its Video unless that is kept. @throws ServiceError LIVE_VIDEO__DELETE_FAILED */
  remove(deletable: Deletable, also?: readonly Write[]): Promise<void>;
  health(liveVideoId: string): Promise<StreamHealth | undefined>;
  /** Health of one of two input streams, whether or not it is on air. */
  inputHealth(liveVideoId: string, inputStreamId: string): Promise<StreamHealth | undefined>;
  /** `input`: absent, the primary one. */
  urls(live: StoredObject<LiveVideoData>, input?: InputNumber): StreamUrls;
  persistentUrls(ownerId: string, input?: InputNumber): Promise<StreamUrls | undefined>;
}

/** Whether a publish with this stream key would be accepted now. Takes nothing: another publisher may come first. */
export type CheckPublish = (name: string, address: string) => Promise<PublishCheck>;

export type PublishCheck =
  | {
      readonly accepted: true;
      readonly ownerId: string;
      /** Tells the stream key from the others of its owner. */
      readonly keyId: string;
      /** The live video that receives the publish, or, if `opensNew`, the one before it, if there is one. */
      readonly live: StoredObject<LiveVideoData> | undefined;
      readonly opensNew: boolean;
    }
  | {
      readonly accepted: false;
      readonly reason: string;
      /** Shown to the user of the encoder. */
      readonly description: string;
    };

export interface StateMessage {
  readonly liveVideoId: string;
  readonly ownerId: string;
  readonly status: BroadcastStatus;
  readonly stream: string;
  readonly atMs: number;
}

/**
 * `id`: of a live video or a video, also of a deleted one. A broadcast's records name its Video while that exists.
 * `undefined`: there is no such object, and no mark of one.
 */
export async function recordSubject(
  load: (id: string) => Promise<StoredObject | undefined>,
  id: string,
): Promise<RecordSubject | undefined> {
  const found = await load(id);
  if (found?.kind === 'live_video') return ofBroadcast(found as StoredObject<LiveVideoData>);
  if (found?.kind === 'video') {
    const { liveVideoId, crosspostOf } = found.data as VideoData;
    const copy = crosspostOf === undefined || liveVideoId === undefined ? undefined : await load(liveVideoId);
    return copy === undefined ? ofVideo(id, liveVideoId) : ofBroadcast(copy as StoredObject<LiveVideoData>);
  }
  if (found !== undefined) return undefined;
  const mark = (await load(DERIVED_ID.tombstone(id))) as StoredObject<Tombstone> | undefined;
  if (mark === undefined) return undefined;
  const { was, liveVideoId, keptVideoId } = mark.data;
  if (was === 'video') return liveVideoId === undefined ? { videoId: id } : { broadcastId: liveVideoId };
  const kept = keptVideoId === undefined ? undefined : await load(keptVideoId);
  return kept === undefined ? { broadcastId: id } : { broadcastId: id, videoId: kept.id };
}

function ofBroadcast({ id, data: { videoId, crosspostOf } }: StoredObject<LiveVideoData>): RecordSubject {
  if (crosspostOf === undefined) return { broadcastId: id, videoId };
  return { broadcastId: id, videoId, logId: crosspostOf };
}

const ofVideo = (videoId: string, broadcastId: string | undefined): RecordSubject =>
  broadcastId === undefined ? { videoId } : { broadcastId, videoId };

/** The ID that the records are stored under. */
export const logIdOf = (subject: RecordSubject): string =>
  subject.broadcastId === undefined ? subject.videoId : (subject.logId ?? subject.broadcastId);

/** The ID of an input stream of a live video that has a backup; undefined for any other live video. */
export function inputStreamOf({ inputStreamIds = [] }: LiveVideoData, input: InputNumber): string | undefined {
  return inputStreamIds.length > 1 ? inputStreamIds[Number(input)] : undefined;
}

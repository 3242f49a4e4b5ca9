/** The broadcast and the video that a log of error records belongs to. */
import type { LiveVideoData, Tombstone, VideoData } from '../lifecycle/documents.js';
import type { RecordSubject } from '../spec/error-view.js';
import { DERIVED_ID } from './keys.js';
import type { StoredObject } from './objects.js';

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

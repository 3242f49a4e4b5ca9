/** Cross-posted broadcasts: live videos of other Pages, which every change of the one that is broadcast is written to as well. */

import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerData, VideoData } from '../lifecycle/documents.js';
import { isOver } from '../lifecycle/lifecycle.js';
import { edgeOf, ownedVideos, type StoredObject, type Write } from '../ports/index.js';

type LiveVideo = StoredObject<LiveVideoData>;

/** A copy has these of its original. Texts, and whether the recording is published, are the copy's own: its Page may change them. */
const FOLLOWED = [
  'status',
  'stream',
  'streamSinceMs',
  'isStopped',
  'plannedStartMs',
  'broadcastStartMs',
  'endedMs',
  'endReason',
  'copyrightDecision',
] as const satisfies readonly (keyof LiveVideoData)[];

const followedOf = (data: LiveVideoData) => Object.fromEntries(FOLLOWED.map((name) => [name, data[name]]));

/** Ids of the copies that this change must be written to. */
export function changedCopies(before: LiveVideoData, after: LiveVideoData): readonly string[] {
  const copies = after.crosspostCopies ?? [];
  return copies.length > 0 && FOLLOWED.some((name) => before[name] !== after[name]) ? copies : [];
}

/** The copy as it is after a change of the original. */
export function following(copy: LiveVideo, original: LiveVideoData, nowMs: number): LiveVideo {
  const { id, kind, createdMs, version } = copy;
  const data = defined({ ...copy.data, ...followedOf(original) });
  return { id, kind, createdMs, updatedMs: nowMs, version: version + 1, data };
}

/** A new copy of the broadcast at a Page: its live video, and the Video that will have the recording. */
export function copyWrites(
  original: LiveVideo,
  page: StoredObject<OwnerData>,
  ids: { readonly liveVideo: string; readonly video: string },
  nowMs: number,
): Write[] {
  const { title, description } = original.data;
  const described = {
    ownerId: page.id,
    ownerKind: 'page',
    privacy: { value: 'EVERYONE', allow: '', deny: '' },
    ...defined({ title, description }),
  } as const;
  const live: LiveVideoData = defined({
    ...described,
    videoId: ids.video,
    crosspostOf: original.id,
    goLiveOnData: false,
    keyVersion: 1,
    stopOnDeleteStream: false,
    status: original.data.status,
    stream: original.data.stream,
    ...followedOf(original.data),
  });
  const { videoId } = original.data;
  const video: VideoData = { ...described, published: false, liveVideoId: ids.liveVideo, crosspostOf: videoId };
  const at = { createdMs: nowMs, updatedMs: nowMs };
  return [
    { op: 'put', object: { id: ids.video, kind: 'video', ...at, data: video }, expect: 0 },
    { op: 'put', object: { id: ids.liveVideo, kind: 'live_video', ...at, data: live }, expect: 0 },
    { op: 'edgeAdd', ...edgeOf(page.id, 'live_videos'), member: ids.liveVideo, score: nowMs },
    { op: 'edgeAdd', ...ownedVideos(page.id), member: ids.video, score: nowMs },
    { op: 'edgeAdd', ...edgeOf(videoId, 'crosspost_copies'), member: ids.video, score: nowMs },
    ...airedWrites(undefined, { data: live, createdMs: nowMs }),
  ];
}

/** Lists the Video of a broadcast once it has aired: until then there is nothing to watch. In the order of creation. */
export function airedWrites(
  before: LiveVideoData | undefined,
  { data, createdMs }: Pick<LiveVideo, 'data' | 'createdMs'>,
): Write[] {
  if (before?.broadcastStartMs !== undefined || data.broadcastStartMs === undefined) return [];
  return [{ op: 'edgeAdd', ...edgeOf(data.ownerId, 'videos'), member: data.videoId, score: createdMs }];
}

/** Without its Video, which may stay with the recording. */
export function copyRemoval({ id, data }: LiveVideo): Write[] {
  return [
    { op: 'delete', id },
    { op: 'edgeRemove', ...edgeOf(data.ownerId, 'live_videos'), member: id },
  ];
}

/** A broadcast that is over is cross-posted by its recording. */
export const takesCopies = (data: LiveVideoData): boolean => !isOver(data);

/**
 * The objects of a new broadcast: the live video, its Video and its input stream, with their entries in lists. The Video can be
 * watched, and is listed as such, once the broadcast airs.
 */

import { defined } from '../lib/objects.js';
import type { LiveVideoData, OwnerData, VideoData } from '../lifecycle/documents.js';
import { edgeOf, type NewLiveVideo, ownedVideos, type StoredObject, SYSTEM_EDGES, type Write } from '../ports/index.js';
import { parameterError } from '../spec/service-errors.js';
import type { LiveVideo } from './state-writer.js';

export interface NewIds {
  readonly liveVideo: string;
  readonly video: string;
  readonly inputStream: string;
  /** The second input stream, if there is one. */
  readonly backup?: string;
}

export interface NewBroadcast {
  readonly live: LiveVideo;
  readonly writes: readonly Write[];
}

/** @throws ServiceError 100 for a scheduled live video without a planned start */
export function newBroadcast(
  input: NewLiveVideo,
  owner: StoredObject<OwnerData>,
  ids: NewIds,
  nowMs: number,
): NewBroadcast {
  const { status, plannedStartMs } = input;
  const isScheduled = status === 'SCHEDULED_UNPUBLISHED' || status === 'SCHEDULED_LIVE';
  if (isScheduled && plannedStartMs === undefined) {
    throw parameterError('The parameter event_params is required to schedule a live video');
  }
  const described = {
    ownerId: owner.id,
    ownerKind: owner.kind as LiveVideoData['ownerKind'],
    ...defined({ title: input.title, description: input.description, privacy: input.privacy }),
  };
  const inputs = [ids.inputStream, ...(ids.backup === undefined ? [] : [ids.backup])];
  const data: LiveVideoData = {
    ...input.extra,
    ...described,
    videoId: ids.video,
    status: isScheduled ? status : 'UNPUBLISHED',
    goLiveOnData: !isScheduled && status !== 'UNPUBLISHED',
    keyVersion: 1,
    stopOnDeleteStream: input.stopOnDeleteStream ?? false,
    stream: 'waiting',
    inputStreamIds: inputs,
    ...defined({ plannedStartMs, enableBackupIngest: input.backup || undefined }),
  };
  const video: VideoData = { ...described, published: false, liveVideoId: ids.liveVideo };
  const at = { createdMs: nowMs, updatedMs: nowMs };
  const writes: Write[] = [
    { op: 'put', object: { id: ids.video, kind: 'video', ...at, data: video }, expect: 0 },
    { op: 'put', object: { id: ids.liveVideo, kind: 'live_video', ...at, data }, expect: 0 },
    { op: 'edgeAdd', ...edgeOf(owner.id, 'live_videos'), member: ids.liveVideo, score: nowMs },
    { op: 'edgeAdd', ...ownedVideos(owner.id), member: ids.video, score: nowMs },
  ];
  for (const [index, id] of inputs.entries()) {
    const inputStream = { liveVideoId: ids.liveVideo, streamId: String(index) };
    writes.push({ op: 'put', object: { id, kind: 'input_stream', ...at, data: inputStream }, expect: 0 });
  }
  if (isScheduled) {
    writes.push({ op: 'edgeAdd', ...SYSTEM_EDGES.deadlines, member: ids.liveVideo, score: plannedStartMs ?? nowMs });
  }
  return { live: { id: ids.liveVideo, kind: 'live_video', version: 1, ...at, data }, writes };
}

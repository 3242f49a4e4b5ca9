/** Updates and deletes videos. While a broadcast is LIVE, changes must be made to the live video instead. */
import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import type { LiveVideoData, VideoData } from '../../../lifecycle/documents.js';
import type { StoredObject } from '../../../ports/index.js';
import { parameterError, subcodeError } from '../../../spec/service-errors.js';
import { isCopyrightStopped, isPublished } from '../../access/published.js';
import { type Call, SUCCESS } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { bool, id, list, object, oneOf, time } from '../../params/kinds.js';
import { recordView } from '../insights/recorder.js';
import { removeLiveVideo } from '../live-video/write.js';
import { removeVideo } from '../removal.js';
import { changeLine } from '../shared/change-line.js';
import { broadcastOf, sharedFields, type Video } from '../shared/documents.js';
import { editObject } from '../shared/edit.js';
import { tagWrites } from '../tag.js';
import { expiryWrites } from './expired.js';
import { GRANULARITIES, sharedShape, videoFields } from './params.js';

const updateParams = z.object({
  ...sharedShape,
  preferred_thumbnail_id: id().optional(),
  allow_crossposting_for_pages: list(object({ page_id: id(), allow: bool().optional() })).optional(),
  backdated_time: time().optional(),
  backdated_time_granularity: oneOf(GRANULARITIES).optional(),
  expire_now: bool().optional(),
  increment_play_count: bool().optional(),
});

type UpdateParams = z.output<typeof updateParams>;

export const updateVideo = operation<VideoData, typeof updateParams>(updateParams, async (call, video, params) => {
  const live = await broadcastOf(video, call);
  if (live?.data.status === 'LIVE') throw subcodeError('LIVE_VIDEO__EDIT_API_NOT_ALLOWED');
  const fields = {
    ...(await videoFields(call, video.data.ownerKind, params)),
    ...(await ownFields(call, video, params)),
  };
  const tags = params.tags === undefined ? [] : await tagWrites(call, video.id, params.tags);
  if (video.data.liveVideoId !== undefined) requirePublishable(video, live, params);
  if (Object.keys(fields).length > 0 || tags.length > 0) {
    const lines = [
      ...(params.privacy === undefined ? [] : [changeLine(call, 'privacy of', video)]),
      ...(params.allow_crossposting_for_pages === undefined ? [] : [changeLine(call, 'cross-posting of', video)]),
    ];
    const also = [...tags, ...expiryWrites(video.id, fields.expiration), ...lines];
    await editObject<VideoData>(call, video.id, (data) => changed(call, data, fields, params), also);
    if (live) await editBroadcastToo(call, live, fields);
  }
  if (params.increment_play_count)
    await recordView(call.services, video.id, { viewerId: call.viewer?.ownerId, isLive: false });
  if (params.scheduled_publish_time !== undefined)
    await call.services.uploads?.publishAt(video.id, params.scheduled_publish_time);
  return SUCCESS;
});

async function ownFields(call: Call, video: Video, params: UpdateParams): Promise<Partial<VideoData>> {
  const thumbnailId = params.preferred_thumbnail_id;
  if (thumbnailId !== undefined) {
    const thumbnail = await call.loader.load(thumbnailId);
    const belongs = thumbnail?.kind === 'thumbnail' && (thumbnail.data as { rootId?: string }).rootId === video.id;
    if (!belongs) throw parameterError('Param preferred_thumbnail_id must be a thumbnail of this video');
  }
  for (const { page_id: pageId } of params.allow_crossposting_for_pages ?? []) {
    const kind = (await call.loader.load(pageId))?.kind;
    if (kind !== 'page' && kind !== 'group') {
      throw parameterError('Param allow_crossposting_for_pages must name Pages or groups');
    }
  }
  const fields: Record<string, unknown> = {
    isWithdrawn: video.data.liveVideoId === undefined || params.published === undefined ? undefined : !params.published,
    preferredThumbnailId: thumbnailId,
    backdatedMs: params.backdated_time,
    backdatedGranularity: params.backdated_time_granularity,
    expiration: params.expire_now ? { timeMs: call.nowMs, type: 'expire_only' } : undefined,
    // Set even if nothing else changes, so that `withCrossposting` runs.
    crosspostPageIds: params.allow_crossposting_for_pages && (video.data.crosspostPageIds ?? []),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Recordings follow their broadcast. @throws ServiceError for what cannot hold on them */
function requirePublishable(video: Video, live: StoredObject<LiveVideoData> | undefined, params: UpdateParams): void {
  if (params.scheduled_publish_time !== undefined) {
    throw parameterError('Param scheduled_publish_time is not supported for the recording of a broadcast');
  }
  if (live !== undefined && params.expiration?.type === 'expire_and_delete') {
    throw parameterError('Param expiration[type] must be expire_only while the live video exists; delete that first');
  }
  const isStopped = live === undefined ? video.data.isCopyrightStopped === true : isCopyrightStopped(live.data);
  if (params.published && isStopped) throw subcodeError('COPYRIGHT__LIVE_COPYRIGHT_VIOLATION');
}

function changed(call: Call, before: VideoData, fields: Partial<VideoData>, params: UpdateParams): VideoData {
  const after = withCrossposting({ ...before, ...fields }, params);
  if (before.liveVideoId !== undefined || params.scheduled_publish_time !== undefined) return after;
  if (fields.published === undefined) return after;
  const { scheduledPublishMs, publishedMs, ...rest } = after;
  if (!fields.published) {
    // A schedule in the past has published the video; without removal it would do so again.
    return scheduledPublishMs !== undefined && scheduledPublishMs > call.nowMs ? after : rest;
  }
  // Published now, not at the scheduled time.
  const at = isPublished(before, call.nowMs) ? (publishedMs ?? scheduledPublishMs) : call.nowMs;
  return { ...rest, ...defined({ publishedMs: at }) };
}

function withCrossposting(data: VideoData, params: UpdateParams): VideoData {
  if (params.allow_crossposting_for_pages === undefined) return data;
  const allowed = new Set(data.crosspostPageIds ?? []);
  for (const { page_id: pageId, allow = true } of params.allow_crossposting_for_pages) {
    if (allow) allowed.add(pageId);
    else allowed.delete(pageId);
  }
  return { ...data, crosspostPageIds: [...allowed] };
}

async function editBroadcastToo(
  call: Call,
  live: StoredObject<LiveVideoData>,
  changed: Partial<VideoData>,
): Promise<void> {
  const fields = sharedFields(changed);
  if (Object.keys(fields).length > 0) await call.services.broadcasts.request(live.id, { type: 'edit', fields });
}

export const deleteVideo = operation<VideoData, z.ZodObject>(
  z.object({}),
  async (call, video) => {
    const live = await broadcastOf(video, call);
    if (live?.data.status === 'LIVE') throw subcodeError('LIVE_VIDEO__EDIT_API_NOT_ALLOWED');
    if (live) await removeLiveVideo(call, live, 'video');
    await removeVideo(call, video, (removed) => changeLine(call, 'delete', removed));
    call.loader.forget(video.id);
    return live === undefined ? SUCCESS : { body: { success: true, deleted_live_video_id: live.id } };
  },
  { answers: { deleted_live_video_id: 'The live video of this Video, which is deleted with it.' } },
);

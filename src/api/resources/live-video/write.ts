/** Updates, starts, ends and deletes live videos. */

import { z } from 'zod';
import type { LiveVideoData, VideoData } from '../../../lifecycle/documents.js';
import { type BroadcastRequest, inputStreamOf, type StoredForward, type Write } from '../../../ports/index.js';
import { parameterError, ServiceError, subcodeError } from '../../../spec/service-errors.js';
import { isCopyrightStopped, isShownBroadcast } from '../../access/published.js';
import { type Call, SUCCESS } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { bool, id, list, oneOf } from '../../params/kinds.js';
import { applyCrosspostingActions, removeAllCopies, removeCopy, setCopies } from '../crosspost.js';
import { forwardRemoval } from '../forward.js';
import type { Poll } from '../poll.js';
import { movePollsToVideo, pollRemoval } from '../poll.js';
import { removeListed, removeMatches, removeParts } from '../removal.js';
import { changeLine } from '../shared/change-line.js';
import { type LiveVideo, sharedFields } from '../shared/documents.js';
import { editObject } from '../shared/edit.js';
import { encoderWishFields } from '../shared/encoder-wishes.js';
import { isPublic, privacyFor } from '../shared/privacy.js';
import { refuseRestrictions } from '../shared/restrictions.js';
import { sponsorOf, tagWrites } from '../tag.js';
import { buryAll } from '../tombstone.js';
import { commonParams, plannedStart, publishedContradicts } from './create.js';

const updateParams = commonParams.extend({
  end_live_video: bool().optional(),
  is_manual_mode: bool().optional(),
  retune_encoder: bool().optional(),
  master_ingest_stream_id: oneOf(['0', '1']).optional(),
  persistent_stream_key_status: oneOf(['ENABLE', 'DISABLE', 'REGENERATE']).optional(),
  embeddable: bool().optional(),
  tags: list(id(), { max: 50 }).optional(),
  sponsor_id: id().optional(),
});

type UpdateParams = z.output<typeof updateParams>;

/** Applies fields before the state transition: going live checks the privacy set in the same request. */
export const updateLiveVideo = operation<LiveVideoData, typeof updateParams>(
  updateParams,
  async (call, live, params) => {
    const { broadcasts } = call.services;
    const { videoId } = live.data;
    refuseRestrictions(params, hiddenAs(live.data));
    if (live.data.crosspostOf !== undefined) requireTextsOnly(live.data.crosspostOf, params);
    if (params.published === false) requireUnpublished(live, params);
    const sponsor = await sponsorOf(call, params.sponsor_id);
    const tags = params.tags === undefined ? [] : await tagWrites(call, videoId, params.tags);
    await crosspost(call, live, params);
    const fields = editedFields(live, params);
    const type = params.retune_encoder === true ? 'retune' : 'edit';
    if (type === 'retune' || Object.keys(fields).length > 0) {
      const lines = [
        ...(params.privacy === undefined ? [] : [changeLine(call, 'privacy of', live)]),
        ...(type === 'retune' ? [changeLine(call, 'encoder settings of', live)] : []),
      ];
      await broadcasts.request(live.id, { type, fields }, lines);
    }
    await editVideoToo(call, videoId, { ...sharedFields(fields), ...sponsor }, tags);
    const move = requestedMove(call, live, params);
    if (move && live.data.endReason !== undefined && isCopyrightStopped(live.data)) {
      const { text: reason } = live.data.endReason;
      const messages = { message: `(#368) ${reason}`, userMessage: reason };
      throw subcodeError('COPYRIGHT__LIVE_COPYRIGHT_VIOLATION', undefined, messages);
    }
    if (move) await broadcasts.request(live.id, move, move.type === 'end' ? [changeLine(call, 'end', live)] : []);
    const action = params.persistent_stream_key_status;
    if (action !== undefined) {
      await broadcasts.request(live.id, { type: 'persistent-key', action }, [changeLine(call, 'stream key of', live)]);
    }
    const given = action !== undefined && action !== 'DISABLE';
    const backup = inputStreamOf(live.data, '1') === undefined ? '0' : '1';
    const [urls, backupUrls] = given
      ? await Promise.all([
          broadcasts.persistentUrls(live.data.ownerId),
          broadcasts.persistentUrls(live.data.ownerId, backup),
        ])
      : [];
    return {
      body: {
        id: live.id,
        ...(urls && backupUrls
          ? { persistent_stream_url: urls.secureStreamUrl, backup_persistent_stream_url: backupUrls.secureStreamUrl }
          : {}),
      },
    };
  },
);

/** Parameters that a cross-posted copy takes: its own texts. */
const OF_COPIES: ReadonlySet<string> = new Set([
  'title',
  'description',
  'content_tags',
  'custom_labels',
  'embeddable',
  'tags',
  'sponsor_id',
]);

function requireTextsOnly(originalId: string, params: UpdateParams): void {
  const other = Object.entries(params).find(([name, value]) => value !== undefined && !OF_COPIES.has(name))?.[0];
  if (other !== undefined)
    throw parameterError(`Param ${other} is for the original of this cross-posted broadcast, ${originalId}`);
}

/** `published=false` changes nothing before LIVE_NOW was requested, and cannot be met afterwards. */
function requireUnpublished({ data }: LiveVideo, { status }: UpdateParams): void {
  if (status === 'LIVE_NOW') throw publishedContradicts();
  if (data.status === 'SCHEDULED_UNPUBLISHED' || (data.status === 'UNPUBLISHED' && !data.goLiveOnData)) return;
  const now = data.status === 'UNPUBLISHED' ? 'waiting to go LIVE' : data.status;
  throw parameterError(
    `Param published must not be false: the live video is ${now}. Send end_live_video=true, or published=false to its Video`,
  );
}

/** Once LIVE was reached, a broadcast is hidden with its Video. */
function hiddenAs({ broadcastStartMs }: LiveVideoData): 'video' | 'liveVideo' {
  return broadcastStartMs === undefined ? 'liveVideo' : 'video';
}

function editedFields(live: LiveVideo, params: UpdateParams): Record<string, unknown> {
  const kind = hiddenAs(live.data);
  const fields: Record<string, unknown> = {
    title: params.title,
    description: params.description,
    privacy: params.privacy && privacyFor(live.data.ownerKind, params.privacy, kind),
    isManualMode: params.is_manual_mode,
    stopOnDeleteStream: params.stop_on_delete_stream,
    isBackupReturn: params.backup_return && params.backup_return === 'auto',
    masterIngestStreamId: params.master_ingest_stream_id,
    contentTags: params.content_tags,
    customLabels: params.custom_labels,
    ...encoderWishFields(params),
    embeddable: params.embeddable,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The Pages that may show the broadcast are stored with its Video. */
async function crosspost(call: Call, live: LiveVideo, params: UpdateParams): Promise<void> {
  if (params.crossposting_actions === undefined) return;
  const video = await call.services.store.objects.get<VideoData>(live.data.videoId);
  const before = video?.data.crosspostPageIds ?? [];
  const allowed = await applyCrosspostingActions(call, live.data.ownerId, before, params.crossposting_actions);
  const changed = (data: VideoData) => ({ ...data, crosspostPageIds: allowed });
  await editObject<VideoData>(call, live.data.videoId, changed, [changeLine(call, 'cross-posting of', live)]);
  await setCopies(call, live, allowed);
}

/** Copies shared fields to the Video of the broadcast. Tags and sponsor are stored only with the Video. */
async function editVideoToo(call: Call, videoId: string, fields: Partial<VideoData>, tags: readonly Write[]) {
  if (Object.keys(fields).length === 0 && tags.length === 0) return;
  await editObject<VideoData>(call, videoId, (data) => ({ ...data, ...fields }), tags);
}

function requestedMove(call: Call, live: LiveVideo, params: UpdateParams): BroadcastRequest | undefined {
  if (params.end_live_video) return { type: 'end' };
  const status = params.status ?? (params.published === true ? 'LIVE_NOW' : undefined);
  const planned = plannedStart(call, params);
  switch (status) {
    case 'LIVE_NOW':
      return { type: 'go-live' };
    case 'SCHEDULED_LIVE':
      return { type: 'scheduled-live' };
    case 'SCHEDULED_CANCELED':
      return { type: 'cancel' };
    case 'SCHEDULED_UNPUBLISHED': {
      const plannedStartMs = planned ?? live.data.plannedStartMs;
      if (plannedStartMs === undefined) throw parameterError('The parameter event_params is required');
      return { type: 'schedule', plannedStartMs };
    }
    case 'UNPUBLISHED':
      if (live.data.status === 'UNPUBLISHED') return undefined;
      throw parameterError(`The live video is ${live.data.status}; it cannot return to UNPUBLISHED`);
    case undefined:
      return planned === undefined ? undefined : { type: 'schedule', plannedStartMs: planned };
  }
}

export const deleteLiveVideo = operation<LiveVideoData, z.ZodObject>(
  z.object({}),
  async (call, live) => {
    try {
      const { keepsVideo } = await removeLiveVideo(call, live, 'live_video');
      return keepsVideo ? { body: { success: true, kept_video_id: live.data.videoId } } : SUCCESS;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw subcodeError('LIVE_VIDEO__DELETE_FAILED', undefined, undefined, { cause: error });
    }
  },
  { answers: { kept_video_id: 'The Video that stays, with the recording; absent when there is none.' } },
);

/**
 * Ends the broadcast before anything is deleted, so that what is deleted no longer changes. Then writes the tombstone: after a
 * crash the live video either still exists or is reported as deleted. `asked`: the object of the request.
 */
export async function removeLiveVideo(
  call: Call,
  before: LiveVideo,
  asked: 'live_video' | 'video',
): Promise<{ readonly keepsVideo: boolean }> {
  const { broadcasts } = call.services;
  const { id, data } = before;
  if (data.crosspostOf !== undefined) {
    await removeCopy(call, before, asked);
    return { keepsVideo: false };
  }
  const wasPublic = isShownBroadcast(data, call.nowMs) && (await isPublic(data, call.loader));
  const { live, keepsVideo } = await broadcasts.endForDeletion(id, asked);
  const { ownerId, ownerKind, videoId } = live.data;
  const owner = { ownerId, ownerKind };
  await buryAll(call.services, [
    { id, stone: { was: 'live_video', ...owner, wasPublic, ...(keepsVideo ? { keptVideoId: videoId } : {}) } },
    ...(keepsVideo
      ? []
      : [{ id: videoId, stone: { was: 'video' as const, ...owner, wasPublic: false, liveVideoId: id } }]),
  ]);
  await removeAllCopies(call, live);
  // A recording remains as a video. Without one the Video and its parts are deleted too.
  if (keepsVideo) await movePollsToVideo(call, id, videoId);
  if (keepsVideo) await editObject<VideoData>(call, videoId, (data) => ({ ...data, ...withoutLive(live.data, data) }));
  await removeListed(call, id, 'polls', (poll) => pollRemoval(poll as Poll));
  await removeMatches(call, id);
  await removeListed(call, id, 'forwards', (forward) => forwardRemoval(forward as StoredForward));
  if (!keepsVideo) await removeParts(call, videoId, (video) => changeLine(call, 'delete', video));
  await broadcasts.remove({ live, keepsVideo }, [changeLine(call, 'delete', live)]);
  call.loader.forget(id);
  return { keepsVideo };
}

/** Fields of the Video that its live video stood for until now. */
function withoutLive(live: LiveVideoData, video: VideoData): Partial<VideoData> {
  const isToCome = live.status !== 'VOD' && video.videoStatus === undefined;
  return {
    ...(isCopyrightStopped(live) ? { isCopyrightStopped: true } : {}),
    ...(isToCome ? { videoStatus: 'processing', processingProgress: 0 } : {}),
  };
}

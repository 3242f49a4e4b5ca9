/** `/{owner}/live_videos`: lists and creates live videos. */
import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import type { LiveVideoData, OwnerData, OwnerKind, VideoData } from '../../../lifecycle/documents.js';
import { edgeOf, type NewLiveVideo, type StoredObject } from '../../../ports/index.js';
import { parameterError, ServiceError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';
import { defineEdge } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { operation } from '../../graph/registry.js';
import { bool, int, list, object, oneOf, text, time } from '../../params/kinds.js';
import { applyCrosspostingActions, crosspostingActions, setCopies } from '../crosspost.js';
import { sharedFields } from '../shared/documents.js';
import { editObject } from '../shared/edit.js';
import { encoderWishFields, encoderWishParams } from '../shared/encoder-wishes.js';
import { privacyFor, privacyParam } from '../shared/privacy.js';
import { REFUSED_LIVE, refuseRestrictions } from '../shared/restrictions.js';
import { liveVideoType } from './fields.js';

const STATUSES = [
  'UNPUBLISHED',
  'LIVE',
  'LIVE_STOPPED',
  'PROCESSING',
  'VOD',
  'SCHEDULED_UNPUBLISHED',
  'SCHEDULED_LIVE',
  'SCHEDULED_EXPIRED',
  'SCHEDULED_CANCELED',
] as const;

export const liveVideosEdge = defineEdge({
  row: liveVideoType,
  params: z.object({
    broadcast_status: list(oneOf(STATUSES)).optional(),
    source: oneOf(['target', 'owner']).optional(),
  }),
  lists: nodesOf('live_videos'),
  read: ({ call, owner, paging, params }) => {
    const wanted = params.broadcast_status ?? [];
    const keep = (live: StoredObject) => wanted.length === 0 || wanted.includes((live.data as LiveVideoData).status);
    return listNodes(call, edgeOf(owner.id, 'live_videos'), paging, { keep });
  },
});

/** A bare time, or `{ start_time }`. */
const eventParams = z.preprocess(
  (value) =>
    typeof value === 'number' || (typeof value === 'string' && !value.includes('{')) ? { start_time: value } : value,
  object({ start_time: time() }),
);

const SCHEDULE_AHEAD_MAX_MS = 7 * 86_400_000;

/** Parameters that a live video takes both when it is created and later. */
export const commonParams = z.object({
  status: oneOf([
    'UNPUBLISHED',
    'LIVE_NOW',
    'SCHEDULED_UNPUBLISHED',
    'SCHEDULED_LIVE',
    'SCHEDULED_CANCELED',
  ]).optional(),
  title: text({ max: 254 }).optional(),
  description: text().optional(),
  privacy: privacyParam.optional(),
  published: bool().optional(),
  event_params: eventParams.optional(),
  planned_start_time: time().optional(),
  stop_on_delete_stream: bool().optional(),
  backup_return: oneOf(['auto', 'manual']).optional(),
  content_tags: list(text({ max: 200 })).optional(),
  custom_labels: list(text({ max: 200 })).optional(),
  ...encoderWishParams,
  crossposting_actions: crosspostingActions.optional(),
  ...REFUSED_LIVE,
});

const createParams = commonParams.extend({
  enable_backup_ingest: bool().optional(),
  is_audio_only: bool().optional(),
  is_spherical: bool().optional(),
  projection: oneOf(['EQUIRECTANGULAR', 'CUBEMAP', 'HALF_EQUIRECTANGULAR']).optional(),
  stereoscopic_mode: oneOf(['MONO', 'LEFT_RIGHT', 'TOP_BOTTOM']).optional(),
  spatial_audio_format: oneOf(['ambiX_4']).optional(),
  stream_type: oneOf(['REGULAR', 'AMBIENT']).optional(),
  original_fov: int().optional(),
});

type CreateParams = z.output<typeof createParams>;

export const createLiveVideo = operation<OwnerData, typeof createParams>(createParams, async (call, owner, params) => {
  const ownerKind = owner.kind as OwnerKind;
  refuseRestrictions(params, 'liveVideo');
  const plannedStartMs = plannedStart(call, params);
  const status = startingStatus(params, plannedStartMs);
  const privacy = privacyFor(ownerKind, params.privacy, 'liveVideo');
  const backup = params.enable_backup_ingest ?? false;
  const input: NewLiveVideo = {
    ownerId: owner.id,
    stopOnDeleteStream: params.stop_on_delete_stream ?? false,
    backup,
    extra: extraOf(params),
    ...defined({ status, title: params.title, description: params.description, privacy, plannedStartMs }),
  };
  // Checked before the live video is created: an invalid pair refuses the whole request.
  const allowed = await applyCrosspostingActions(call, owner.id, [], params.crossposting_actions ?? []);
  const live = await call.services.broadcasts.create(input);
  const ofVideo = { ...sharedFields(extraOf(params)), ...(allowed.length > 0 ? { crosspostPageIds: allowed } : {}) };
  if (Object.keys(ofVideo).length > 0) {
    await editObject<VideoData>(call, live.data.videoId, (data) => ({ ...data, ...ofVideo }));
  }
  if (allowed.length > 0) await setCopies(call, live, allowed);
  call.loader.know(live);
  const { secureStreamUrl } = call.services.broadcasts.urls(live);
  const secondary = backup ? [call.services.broadcasts.urls(live, '1').secureStreamUrl] : [];
  return {
    body: {
      id: live.id,
      stream_url: secureStreamUrl,
      secure_stream_url: secureStreamUrl,
      stream_secondary_urls: secondary,
      secure_stream_secondary_urls: secondary,
    },
  };
});

/** @throws ServiceError 1000 for a time in the past or too far ahead */
export function plannedStart(
  call: Call,
  params: Pick<CreateParams, 'event_params' | 'planned_start_time'>,
): number | undefined {
  const at = params.event_params?.start_time ?? params.planned_start_time;
  if (at === undefined) return undefined;
  if (at <= call.nowMs || at > call.nowMs + SCHEDULE_AHEAD_MAX_MS) {
    throw new ServiceError({
      code: 1000,
      type: 'OAuthException',
      status: 400,
      message: '(#1000) The planned start must be within the next 7 days',
      isTransient: false,
    });
  }
  return at;
}

function startingStatus(params: CreateParams, plannedStartMs: number | undefined): NewLiveVideo['status'] {
  if (params.status === 'SCHEDULED_CANCELED') {
    throw parameterError('Param status must not be SCHEDULED_CANCELED when a live video is created');
  }
  if (params.status !== undefined) {
    if (params.published === false && params.status === 'LIVE_NOW') throw publishedContradicts();
    return params.status;
  }
  if (plannedStartMs !== undefined) return 'SCHEDULED_UNPUBLISHED';
  if (params.published === undefined) return undefined;
  return params.published ? 'LIVE_NOW' : 'UNPUBLISHED';
}

export function publishedContradicts(): ServiceError {
  return parameterError('Param published must not be false with status LIVE_NOW');
}

function extraOf(params: CreateParams): Record<string, unknown> {
  const extra: Record<string, unknown> = {
    enableBackupIngest: params.enable_backup_ingest,
    isBackupReturn: params.backup_return && params.backup_return === 'auto',
    contentTags: params.content_tags,
    customLabels: params.custom_labels,
    ...encoderWishFields(params),
    isAudioOnly: params.is_audio_only,
    isSpherical: params.is_spherical,
    projection: params.projection,
    stereoscopicMode: params.stereoscopic_mode,
    spatialAudioFormat: params.spatial_audio_format,
    streamType: params.stream_type,
    originalFov: params.original_fov,
  };
  return Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined));
}

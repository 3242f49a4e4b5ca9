/** `POST /{owner}/videos`: cross-posts a video, or uploads one through the `Uploads` port. */
import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import type { OwnerData, OwnerKind, VideoData } from '../../../lifecycle/documents.js';
import {
  edgeOf,
  ownedVideos,
  type ReceivedFile,
  type StoredObject,
  type Uploads,
  type VideoFields,
} from '../../../ports/index.js';
import { parameterError, ServiceError, subcodeError } from '../../../spec/service-errors.js';
import { type Answer, type Call, SUCCESS } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { id, int, object, oneOf, text, time } from '../../params/kinds.js';
import { isCrosspostable, type Video } from '../shared/documents.js';
import { tagWrites } from '../tag.js';
import { addThumbnail, picturesOfOriginal, requireImage } from '../thumbnail.js';
import { expiryWrites } from './expired.js';
import { expirationOf, GRANULARITIES, sharedShape, videoFields } from './params.js';

const createParams = z.object({
  ...sharedShape,
  crossposted_video_id: id().optional(),
  replace_video_id: id().optional(),
  file_url: text({ max: 4000 }).optional(),
  upload_phase: oneOf(['start', 'transfer', 'finish', 'cancel']).optional(),
  upload_session_id: id().optional(),
  file_size: int({ min: 1 }).optional(),
  start_offset: int({ min: 0 }).optional(),
  backdated_post: object({
    backdated_time: time(),
    backdated_time_granularity: oneOf(GRANULARITIES).optional(),
  }).optional(),
});

type CreateParams = z.output<typeof createParams>;

export const createVideo = operation<OwnerData, typeof createParams>(createParams, async (call, owner, params) => {
  // Checked before the video is created: an invalid image refuses the whole request.
  if (call.files.has('thumb')) requireImage(call.files.get('thumb'), 'thumb');
  if (params.crossposted_video_id !== undefined) return crosspost(call, owner, params, params.crossposted_video_id);
  if (params.replace_video_id !== undefined) {
    throw parameterError('Param replace_video_id is not supported: the file of a video cannot be replaced');
  }
  if (params.upload_phase !== undefined) return resumable(call, owner, params, uploadsOf(call));
  const source = call.received.get('source');
  if (source === undefined && params.file_url === undefined) {
    throw parameterError(
      'No video was selected: source, file_url, upload_phase or crossposted_video_id is required',
      1363020,
    );
  }
  const uploads = uploadsOf(call);
  const fields = { published: true, ...(await newVideoFields(call, owner, params)) };
  const target = { id: owner.id, kind: owner.kind as OwnerKind };
  const videoId = source
    ? await uploads.create(target, source, fields)
    : await uploads.createFromUrl(target, params.file_url ?? '', fields, call.viewer?.ownerId ?? owner.id);
  await afterCreate(call, videoId, params);
  return { body: { id: videoId } };
});

function uploadsOf(call: Call): Uploads {
  const { uploads } = call.services;
  if (uploads === undefined) throw subcodeError('VIDEO__CREATE_FAILED', 'Uploads are not configured.', { status: 500 });
  return uploads;
}

async function newVideoFields(call: Call, owner: StoredObject<OwnerData>, params: CreateParams): Promise<VideoFields> {
  const poster = call.viewer?.ownerId;
  const byPerson = poster !== undefined && poster !== owner.id;
  const backdated = params.backdated_post;
  return {
    ...(await videoFields(call, owner.kind as OwnerKind, params)),
    ...(backdated && {
      backdatedMs: backdated.backdated_time,
      backdatedGranularity: backdated.backdated_time_granularity ?? 'none',
    }),
    ...(byPerson && owner.kind === 'group' ? { fromId: poster } : {}),
    ...(byPerson && owner.kind === 'page' ? { adminCreatorId: poster } : {}),
  };
}

function keepExpiry(call: Call, videoId: string, params: CreateParams): Promise<void> {
  return call.services.store.objects.commit(expiryWrites(videoId, expirationOf(params)));
}

async function afterCreate(call: Call, videoId: string, params: CreateParams): Promise<void> {
  await keepExpiry(call, videoId, params);
  if (params.scheduled_publish_time !== undefined)
    await uploadsOf(call).publishAt(videoId, params.scheduled_publish_time);
  if (params.tags !== undefined) await call.services.store.objects.commit(await tagWrites(call, videoId, params.tags));
  if (call.files.has('thumb')) await addThumbnail(call, videoId, requireImage(call.files.get('thumb'), 'thumb'), true);
}

async function resumable(
  call: Call,
  owner: StoredObject<OwnerData>,
  params: CreateParams,
  uploads: Uploads,
): Promise<Answer> {
  const target = { id: owner.id, kind: owner.kind as OwnerKind };
  if (params.upload_phase === 'start') {
    const size = required(params.file_size, 'file_size');
    const fields = { published: true, ...(await newVideoFields(call, owner, params)) };
    const started = await uploads.start(target, size, fields);
    await keepExpiry(call, started.videoId, params);
    return {
      body: {
        upload_session_id: started.sessionId,
        video_id: started.videoId,
        start_offset: String(started.startOffset),
        end_offset: String(started.endOffset),
      },
    };
  }
  const session = required(params.upload_session_id, 'upload_session_id');
  switch (params.upload_phase) {
    case 'transfer': {
      const chunk: ReceivedFile = required(call.received.get('video_file_chunk'), 'video_file_chunk');
      const next = await uploads.transfer(owner.id, session, required(params.start_offset, 'start_offset'), chunk);
      return { body: { start_offset: String(next.startOffset), end_offset: String(next.endOffset) } };
    }
    case 'cancel':
      await uploads.cancel(owner.id, session);
      return SUCCESS;
    default: {
      const finished = await uploads.finish(owner.id, session, await newVideoFields(call, owner, params));
      // A client that lost the response repeats the call: the same response, without a second thumbnail.
      if (!finished.isRepeated) await afterCreate(call, finished.videoId, params);
      return SUCCESS;
    }
  }
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw parameterError(`The parameter ${name} is required`);
  return value;
}

/** Creates a copy with its own id and insights; it uses the media and pictures of the original. */
async function crosspost(
  call: Call,
  owner: StoredObject<OwnerData>,
  params: CreateParams,
  sourceId: string,
): Promise<Answer> {
  const source = (await call.loader.load(sourceId)) as Video | undefined;
  const mayUse = source?.kind === 'video' && (await mayCrosspost(call, source, owner.id));
  if (!mayUse || !(await isCrosspostable(source, call))) {
    throw new ServiceError({
      code: 200,
      subcode: 1363103,
      type: 'OAuthException',
      status: 403,
      message: '(#200) The video may not be cross-posted to this owner',
      title: 'Invalid Parameters',
      isTransient: false,
    });
  }
  const crosspostOf = source.data.crosspostOf ?? source.id;
  if (call.files.has('thumb')) throw picturesOfOriginal(crosspostOf);
  await call.services.quota.requireObject(owner.id);
  const videoId = call.services.ids.next();
  const { description, lengthMs, title } = source.data;
  const fields = await newVideoFields(call, owner, params);
  const data = {
    ...defined({ description, title, lengthMs }),
    ...fields,
    ownerId: owner.id,
    ownerKind: owner.kind as OwnerKind,
    crosspostOf,
    published: typeof fields.published === 'boolean' ? fields.published : true,
  } satisfies VideoData;
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  await call.services.store.objects.commit([
    { op: 'put', object: { id: videoId, kind: 'video', ...at, data }, expect: 0 },
    { op: 'edgeAdd', ...edgeOf(owner.id, 'videos'), member: videoId, score: call.nowMs },
    { op: 'edgeAdd', ...ownedVideos(owner.id), member: videoId, score: call.nowMs },
    {
      op: 'edgeAdd',
      ...edgeOf(crosspostOf, 'crosspost_copies'),
      member: videoId,
      score: call.nowMs,
    },
    ...(params.tags === undefined ? [] : await tagWrites(call, videoId, params.tags)),
    ...expiryWrites(videoId, expirationOf(params)),
  ]);
  return { body: { id: videoId } };
}

/** Allowed on Pages that the original's owner enabled, or if the viewer manages both owners. Applies to copies too. */
async function mayCrosspost(call: Call, source: Video, targetId: string): Promise<boolean> {
  const { crosspostOf } = source.data;
  const original = crosspostOf === undefined ? source : ((await call.loader.load(crosspostOf)) as Video | undefined);
  if (original?.kind !== 'video') return false;
  if (original.data.crosspostPageIds?.includes(targetId)) return true;
  return call.access.manages(original.data.ownerId);
}

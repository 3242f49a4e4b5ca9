/** `/{video-id}/thumbnails` and the redirect of `/{video-id}/picture`. */
import { z } from 'zod';
import { parameterError, type ServiceError } from '../../spec/service-errors.js';
import { noSuchObject } from '../access/faults.js';
import { type Call, type FilePart, SUCCESS } from '../graph/call.js';
import { defineEdge, listOwner } from '../graph/edge.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { operation } from '../graph/registry.js';
import { absolute } from '../graph/urls.js';
import { type ThumbnailData, thumbnailType } from '../nodes/thumbnail.js';
import { bool } from '../params/kinds.js';
import { editObject } from './shared/edit.js';
import { blobsOf, filePath, type ImageFacts, imageFacts, thumbnailKey } from './shared/files.js';
import type { VideoDoc } from './video/fields.js';

export const thumbnailsEdge = defineEdge<VideoDoc, z.ZodObject>({
  row: thumbnailType,
  params: z.object({}),
  via: 'crosspostOf',
  lists: nodesOf('thumbnails', { ascending: true }),
  read: ({ call, owner, paging }) =>
    listNodes(call, { owner: listOwner(owner, 'crosspostOf'), edge: 'thumbnails' }, paging, {
      ascending: true,
      samePrivacy: true,
    }),
});

const createParams = z.object({ is_preferred: bool().optional() });

export const createThumbnail = operation<VideoDoc, typeof createParams>(createParams, async (call, video, params) => {
  const image = requireImage(call.files.get('source'), 'source');
  if (video.data.crosspostOf !== undefined) throw picturesOfOriginal(video.data.crosspostOf);
  await addThumbnail(call, video.id, image, params.is_preferred ?? false);
  return SUCCESS;
});

export const picturesOfOriginal = (originalId: string): ServiceError =>
  parameterError(`The pictures of a cross-posted copy are those of the original, ${originalId}`);

export interface UploadedImage {
  readonly file: FilePart;
  readonly facts: ImageFacts;
}

/** By content. @throws ServiceError 100 */
export function requireImage(file: FilePart | undefined, param: string): UploadedImage {
  if (!file) throw parameterError(`The parameter ${param} is required`);
  const facts = imageFacts(file.bytes);
  if (!facts) throw parameterError(`Param ${param} must be a JPEG, PNG, GIF or WebP image`);
  return { file, facts };
}

/** The first one of a video is preferred whatever was asked for. */
export async function addThumbnail(
  call: Call,
  videoId: string,
  { file, facts }: UploadedImage,
  isPreferred: boolean,
): Promise<void> {
  const id = call.services.ids.next();
  const key = thumbnailKey(videoId, id, facts.extension);
  await blobsOf(call).put(key, file.bytes);
  const data: ThumbnailData = {
    rootId: videoId,
    url: filePath(key),
    width: facts.width,
    height: facts.height,
    mimeType: facts.mimeType,
    blobId: key,
    ...(file.fileName === '' ? {} : { name: file.fileName.slice(0, 255) }),
  };
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  await editObject<VideoDoc>(
    call,
    videoId,
    (current) =>
      isPreferred || current.preferredThumbnailId === undefined ? { ...current, preferredThumbnailId: id } : current,
    [
      { op: 'put', object: { id, kind: 'thumbnail', ...at, data }, expect: 0 },
      { op: 'edgeAdd', owner: videoId, edge: 'thumbnails', member: id, score: call.nowMs },
    ],
  );
}

const pictureParams = z.object({ redirect: bool().optional() });

export const picture = operation<VideoDoc, typeof pictureParams>(pictureParams, async (call, video, params) => {
  const id = video.data.preferredThumbnailId;
  const data = id === undefined ? undefined : ((await call.loader.load(id))?.data as ThumbnailData | undefined);
  const url = absolute(data?.url, call);
  if (data === undefined || url === undefined) throw noSuchObject('GET', `${video.id}/picture`);
  if (params.redirect !== false) return { status: 302, headers: { Location: url }, body: {} };
  return { body: { data: { url, height: data.height, width: data.width, is_silhouette: false } } };
});

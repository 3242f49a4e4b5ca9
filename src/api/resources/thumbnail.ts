/** Thumbnails of videos: fields, `/{video-id}/thumbnails`, and the redirect of `/{video-id}/picture`. */

import { z } from 'zod';
import type { VideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject } from '../../ports/index.js';
import { parameterError, type ServiceError } from '../../spec/service-errors.js';
import { noSuchObject } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import { type Call, type FilePart, SUCCESS } from '../graph/call.js';
import { defineEdge, listOwner } from '../graph/edge.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { defineNodeType } from '../graph/node-type.js';
import { operation } from '../graph/registry.js';
import { absolute } from '../graph/values.js';
import { bool } from '../params/kinds.js';
import type { Video } from './shared/documents.js';
import { editObject } from './shared/edit.js';
import { blobsOf, filePath, type ImageFacts, imageFacts, thumbnailKey } from './shared/files.js';

export interface ThumbnailData {
  /** Id of the video. */
  readonly rootId: string;
  /** Path on this server, or an absolute URL. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly mimeType: string;
  readonly name?: string;
  readonly blobId?: string;
}

export type Thumbnail = StoredObject<ThumbnailData>;

export const thumbnailType = defineNodeType<Thumbnail>({
  typeName: 'VideoThumbnail',
  node: 'thumbnail',
  idOf: (thumbnail) => thumbnail.id,
  fields: {
    id: {
      type: 'numeric string',
      description: 'Id of the thumbnail.',
      isDefault: true,
      read: (thumbnail) => thumbnail.id,
    },
    uri: {
      type: 'string',
      description: 'URL of the image.',
      isDefault: true,
      read: (thumbnail, call) => absolute(thumbnail.data.url, call),
    },
    height: {
      type: 'int',
      description: 'Height in pixels.',
      isDefault: true,
      read: (thumbnail) => thumbnail.data.height,
    },
    width: { type: 'int', description: 'Width in pixels.', isDefault: true, read: (thumbnail) => thumbnail.data.width },
    scale: { type: 'float', description: 'Always 1.', isDefault: true, read: () => 1 },
    is_preferred: {
      type: 'bool',
      description: 'Whether this thumbnail is shown for the video.',
      isDefault: true,
      read: async (thumbnail, call) => {
        const video = (await call.loader.load(thumbnail.data.rootId)) as Video | undefined;
        return video?.data.preferredThumbnailId === thumbnail.id;
      },
    },
    name: { type: 'string', description: 'File name.', read: (thumbnail) => thumbnail.data.name },
  },
});

export const thumbnailsEdge = defineEdge<VideoData, z.ZodObject>({
  row: thumbnailType,
  params: z.object({}),
  via: 'crosspostOf',
  lists: nodesOf('thumbnails', { ascending: true }),
  read: ({ call, owner, paging }) =>
    listNodes(call, edgeOf(listOwner(owner, 'crosspostOf'), 'thumbnails'), paging, {
      ascending: true,
      samePrivacy: true,
    }),
});

const createParams = z.object({ is_preferred: bool().optional() });

export const createThumbnail = operation<VideoData, typeof createParams>(createParams, async (call, video, params) => {
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

/** Checks format and size by the header: nothing here decodes an image. @throws ServiceError 100 */
export function requireImage(file: FilePart | undefined, param: string): UploadedImage {
  if (!file) throw parameterError(`The parameter ${param} is required`);
  const facts = imageFacts(file.bytes);
  if (!facts) throw parameterError(`Param ${param} must be a JPEG, PNG, GIF or WebP image`);
  const { width, height } = facts;
  if (width * height > API_LIMITS.imagePixels)
    throw parameterError(
      `Param ${param} must have at most ${API_LIMITS.imagePixels} pixels; it has ${width} × ${height}`,
    );
  return { file, facts };
}

/** The first thumbnail of a video is always preferred. */
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
  await editObject<VideoData>(
    call,
    videoId,
    (current) =>
      isPreferred || current.preferredThumbnailId === undefined ? { ...current, preferredThumbnailId: id } : current,
    [
      { op: 'put', object: { id, kind: 'thumbnail', ...at, data }, expect: 0 },
      { op: 'edgeAdd', ...edgeOf(videoId, 'thumbnails'), member: id, score: call.nowMs },
    ],
  );
}

const pictureParams = z.object({ redirect: bool().optional() });

export const picture = operation<VideoData, typeof pictureParams>(pictureParams, async (call, video, params) => {
  const id = video.data.preferredThumbnailId;
  const data = id === undefined ? undefined : ((await call.loader.load(id))?.data as ThumbnailData | undefined);
  const url = absolute(data?.url, call);
  if (data === undefined || url === undefined) throw noSuchObject('GET', `${video.id}/picture`);
  if (params.redirect !== false) return { status: 302, headers: { Location: url }, body: {} };
  return { body: { data: { url, height: data.height, width: data.width, is_silhouette: false } } };
});

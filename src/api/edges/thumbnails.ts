/** `/{video-id}/thumbnails` and the redirect of `/{video-id}/picture`. */
import { z } from 'zod';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { noSuchObject } from '../access/faults.js';
import { blobsOf, filePath, imageFacts, thumbnailKey } from '../files.js';
import { SUCCESS } from '../graph/call.js';
import { defineEdge, listOwner } from '../graph/edge.js';
import { editObject } from '../graph/edit.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { operation } from '../graph/registry.js';
import { absolute } from '../graph/urls.js';
import { type ThumbnailData, thumbnailKind } from '../nodes/thumbnail.js';
import type { VideoDoc } from '../nodes/video.js';
import { bool } from '../params/kinds.js';

export const thumbnailsEdge = defineEdge<VideoDoc, z.ZodObject>({
  route: 'GET /{video-id}/thumbnails',
  row: thumbnailKind,
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
  const file = call.files.get('source');
  if (!file) throw parameterError('The parameter source is required');
  const image = imageFacts(file.bytes);
  if (!image) {
    throw new ServiceError({
      code: 100,
      type: 'OAuthException',
      status: 400,
      message: '(#100) Param source must be a JPEG, PNG, GIF or WebP image',
      isTransient: false,
    });
  }
  const id = call.services.ids.next();
  const key = thumbnailKey(video.id, id, image.extension);
  await blobsOf(call).put(key, file.bytes);
  const data: ThumbnailData = {
    rootId: video.id,
    url: filePath(key),
    width: image.width,
    height: image.height,
    mimeType: image.mimeType,
    blobId: key,
    ...(file.fileName === '' ? {} : { name: file.fileName.slice(0, 255) }),
  };
  const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
  await editObject<VideoDoc>(
    call,
    video.id,
    (current) =>
      params.is_preferred || current.preferredThumbnailId === undefined
        ? { ...current, preferredThumbnailId: id }
        : current,
    [
      { op: 'put', object: { id, kind: 'thumbnail', ...at, data }, expect: 0 },
      { op: 'edgeAdd', owner: video.id, edge: 'thumbnails', member: id, score: call.nowMs },
    ],
  );
  return SUCCESS;
});

const pictureParams = z.object({ redirect: bool().optional() });

export const picture = operation<VideoDoc, typeof pictureParams>(pictureParams, async (call, video, params) => {
  const id = video.data.preferredThumbnailId;
  const data = id === undefined ? undefined : ((await call.loader.load(id))?.data as ThumbnailData | undefined);
  const url = absolute(data?.url, call);
  if (data === undefined || url === undefined) throw noSuchObject('GET', `${video.id}/picture`);
  if (params.redirect !== false) return { status: 302, headers: { Location: url }, body: {} };
  return { body: { data: { url, height: data.height, width: data.width, is_silhouette: false } } };
});

/** Posts that share a video. */

import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { OwnerData, VideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject } from '../../ports/index.js';
import { viewerOf } from '../graph/call.js';
import { defineEdge, totalCount } from '../graph/edge.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { defineNodeType } from '../graph/node-type.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { text } from '../params/kinds.js';
import type { Video } from './shared/documents.js';
import { ownerRef } from './shared/profile.js';

export interface PostData {
  readonly rootId: string;
  readonly fromId: string;
  readonly message?: string;
  readonly story: string;
}

export type Post = StoredObject<PostData>;

export const postType = defineNodeType<Post>({
  typeName: 'Post',
  node: 'post',
  idOf: (post) => post.id,
  fields: {
    id: { type: 'string', description: 'Id of the post.', isDefault: true, read: (post) => post.id },
    created_time: {
      type: 'datetime',
      description: 'When the post was created.',
      isDefault: true,
      read: (post, call) => graphTime(post.createdMs, call),
    },
    message: {
      type: 'string',
      description: 'Message of the post.',
      isDefault: true,
      read: (post) => post.data.message,
    },
    story: { type: 'string', description: 'Summary of the post.', isDefault: true, read: (post) => post.data.story },
    from: {
      type: 'Profile',
      description: 'Author of the post.',
      follows: ['fromId'],
      read: (post, call) => ownerRef(post.data.fromId, call),
    },
    permalink_url: {
      type: 'string',
      description: 'URL of the post.',
      read: (post, call) => `${call.originOf()}/${post.id}`,
    },
  },
});

export const sharedPostsEdge = defineEdge<unknown, z.ZodObject>({
  row: postType,
  params: z.object({}),
  lists: nodesOf('shared_posts'),
  read: ({ call, owner, paging }) => listNodes(call, edgeOf(owner.id, 'shared_posts'), paging, { samePrivacy: true }),
  summary: totalCount('shared_posts'),
});

const shareParams = z.object({ message: text({ max: 8000 }).optional() });

export const share = operation<VideoData, typeof shareParams>(shareParams, async (call, video: Video, params) => {
  const { ownerId: fromId } = viewerOf(call);
  const name = ((await call.loader.load(fromId))?.data as OwnerData | undefined)?.name ?? 'Someone';
  const id = `${fromId}_${call.services.ids.next()}`;
  const data: PostData = {
    rootId: video.id,
    fromId,
    story: `${name} shared a video.`,
    ...defined({ message: params.message }),
  };
  await call.services.store.objects.commit([
    { op: 'put', object: { id, kind: 'post', createdMs: call.nowMs, updatedMs: call.nowMs, data }, expect: 0 },
    { op: 'edgeAdd', ...edgeOf(video.id, 'shared_posts'), member: id, score: call.nowMs },
  ]);
  return { body: { id } };
});

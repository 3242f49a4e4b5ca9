/** Posts that share a video. */
import type { StoredObject } from '../../ports/index.js';
import { defineNodeType } from '../graph/node-type.js';
import { graphTime } from '../graph/values.js';
import { ownerRef } from './owner.js';

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
    id: { type: 'string', description: 'The post.', isDefault: true, read: (post) => post.id },
    created_time: {
      type: 'datetime',
      description: 'When it was made.',
      isDefault: true,
      read: (post, call) => graphTime(post.createdMs, call),
    },
    message: {
      type: 'string',
      description: 'What was written with it.',
      isDefault: true,
      read: (post) => post.data.message,
    },
    story: { type: 'string', description: 'What happened.', isDefault: true, read: (post) => post.data.story },
    from: {
      type: 'Profile',
      description: 'Who shared.',
      follows: ['fromId'],
      read: (post, call) => ownerRef(post.data.fromId, call),
    },
    permalink_url: { type: 'string', description: 'Its address.', read: (post, call) => `${call.origin}/${post.id}` },
  },
});

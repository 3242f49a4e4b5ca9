/** Comments: their fields, and the lists of them. */

import { z } from 'zod';
import { edgeOf, type StoredObject } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { defineEdge, listOwner } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { absent, defineNodeType, type Field, Ref } from '../../graph/node-type.js';
import { graphTime } from '../../graph/values.js';
import { oneOf } from '../../params/kinds.js';
import { ownerRef } from '../shared/profile.js';

export interface CommentData {
  /** The Video, also for comments on a broadcast. */
  readonly rootId: string;
  readonly ownerId: string;
  readonly parentId?: string;
  readonly fromId: string;
  readonly message: string;
  readonly attachment?: { readonly type: string; readonly url: string };
  readonly isHidden?: boolean;
  /** Milliseconds since the broadcast began, for comments while LIVE. */
  readonly liveMs?: number;
}

export type Comment = StoredObject<CommentData>;

export const isAuthor = (comment: Comment, call: Call) => comment.data.fromId === call.viewer?.ownerId;
export const moderates = (comment: Comment, call: Call) => call.access.manages(comment.data.ownerId, 'MODERATE');
const flag = (description: string, read: Field<Comment>['read']): Field<Comment> => ({
  type: 'bool',
  description,
  read,
});

export const commentType = defineNodeType<Comment>({
  typeName: 'Comment',
  node: 'comment',
  idOf: (comment) => comment.id,
  fields: {
    created_time: {
      type: 'datetime',
      description: 'When it was made.',
      isDefault: true,
      read: (comment, call) => graphTime(comment.createdMs, call),
    },
    from: {
      type: 'Profile',
      description: 'Who wrote it.',
      follows: ['fromId'],
      isDefault: true,
      read: (comment, call) => ownerRef(comment.data.fromId, call),
    },
    message: { type: 'string', description: 'The text.', isDefault: true, read: (comment) => comment.data.message },
    id: { type: 'string', description: 'The comment.', isDefault: true, read: (comment) => comment.id },
    attachment: {
      type: 'object',
      description: 'A link or an image.',
      read: (comment) =>
        comment.data.attachment && { ...comment.data.attachment, target: { url: comment.data.attachment.url } },
    },
    comment_count: {
      type: 'int',
      description: 'Replies.',
      counts: { edge: 'comments' },
      read: (comment, call) => call.loader.size(edgeOf(comment.id, 'comments')),
    },
    like_count: {
      type: 'int',
      description: 'Likes.',
      counts: { edge: 'likes' },
      read: (comment, call) => call.loader.size(edgeOf(comment.id, 'likes')),
    },
    live_broadcast_timestamp: {
      type: 'int',
      description: 'Seconds into the broadcast.',
      read: (comment) => (comment.data.liveMs === undefined ? undefined : Math.floor(comment.data.liveMs / 1000)),
    },
    object: {
      type: 'Video',
      description: 'What it is about.',
      read: async (comment, call) => {
        const video = await call.loader.load(comment.data.rootId);
        return video && new Ref('video', video, ['id']);
      },
    },
    parent: {
      type: 'Comment',
      description: 'What it replies to.',
      read: async (comment, call) => {
        const { parentId } = comment.data;
        const parent = parentId === undefined ? undefined : ((await call.loader.load(parentId)) as Comment | undefined);
        if (parent === undefined || !(await call.access.seesComment(parent.data))) return undefined;
        return new Ref('comment', parent);
      },
    },
    permalink_url: {
      type: 'string',
      description: 'Its address.',
      read: (comment, call) => `${call.origin}/${comment.id}`,
    },
    user_likes: flag('Liked by the token’s subject.', async (comment, call) => {
      if (!call.viewer) return false;
      return (await call.loader.entry(edgeOf(comment.id, 'likes'), call.viewer.ownerId)) !== undefined;
    }),
    message_tags: absent('list<object>', 'Names in comments are not linked here.'),
    application: absent('Application', 'Which application it came through is not kept.'),
    admin_creator: absent('Profile', 'Who wrote for a Page is not kept.'),
    private_reply_conversation: absent('Conversation', 'There are no private replies here.'),
    can_comment: flag('Whether the token may reply.', (_comment, call) => call.viewer !== undefined),
    can_like: flag('Whether the token may like it.', (_comment, call) => call.viewer !== undefined),
    can_hide: flag('Whether the token may hide it.', moderates),
    can_remove: flag(
      'Whether the token may delete it.',
      async (comment, call) => isAuthor(comment, call) || moderates(comment, call),
    ),
    can_reply_privately: flag('Never here.', () => false),
    is_hidden: flag('Seen by its author and moderators only.', (comment) => comment.data.isHidden ?? false),
    is_private: flag('Never here.', () => false),
  },
});

const readParams = z.object({
  filter: oneOf(['toplevel', 'stream']).optional(),
  order: oneOf(['chronological', 'reverse_chronological', 'ranked']).optional(),
  live_filter: oneOf(['filter_low_quality', 'no_filter']).optional(),
});

type ReadParams = z.output<typeof readParams>;

const listNameOf = ({ filter }: ReadParams) => (filter === 'stream' ? 'comments_all' : 'comments');
const isAscending = ({ order }: ReadParams) => order !== 'reverse_chronological';

/** `via`: the field that names what the comments lie under — of a broadcast, its Video. */
export function commentsEdge<Data>(via?: string) {
  return defineEdge<Data, typeof readParams>({
    row: commentType,
    params: readParams,
    ...(via === undefined ? {} : { via }),
    lists: ({ paging, params }) => nodesOf(listNameOf(params), { ascending: isAscending(params) })({ paging }),
    read: async ({ call, owner, paging, params }) => {
      const name = { owner: listOwner(owner, via), edge: listNameOf(params) };
      const rows = await listNodes(call, name, paging, { ascending: isAscending(params), samePrivacy: true });
      const readable = await Promise.all(rows.rows.map(({ row }) => call.access.seesComment((row as Comment).data)));
      return { ...rows, rows: rows.rows.filter((_row, index) => readable[index]) };
    },
    summary: {
      defaults: ['order', 'total_count', 'can_comment'],
      fields: {
        order: ({ params }) => (params.order === 'reverse_chronological' ? params.order : 'chronological'),
        total_count: ({ call, owner, params }) =>
          call.loader.size({ owner: listOwner(owner, via), edge: listNameOf(params) }),
        can_comment: ({ call }) => call.viewer !== undefined && call.viewer.ownerKind !== 'app',
      },
    },
  });
}

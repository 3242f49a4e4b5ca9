/** Comments: fields and edges. */

import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import { edgeOf, type StoredObject } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { defineEdge, listOwner } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { absent, defineNodeType, type Field, Ref } from '../../graph/node-type.js';
import { objectKeys } from '../../graph/object-keys.js';
import { graphTime } from '../../graph/values.js';
import { oneOf } from '../../params/kinds.js';
import { ownerRef } from '../shared/profile.js';

export interface CommentData {
  /** Id of the Video; comments on a broadcast have its Video here. */
  readonly rootId: string;
  readonly ownerId: string;
  readonly parentId?: string;
  readonly fromId: string;
  readonly message: string;
  readonly attachment?: { readonly type: string; readonly url: string };
  readonly isHidden?: boolean;
  /** Milliseconds since the start of the broadcast, for comments made while LIVE. */
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
      description: 'When the comment was created.',
      isDefault: true,
      read: (comment, call) => graphTime(comment.createdMs, call),
    },
    from: {
      type: 'Profile',
      description: 'Author of the comment.',
      follows: ['fromId'],
      isDefault: true,
      read: (comment, call) => ownerRef(comment.data.fromId, call),
    },
    message: {
      type: 'string',
      description: 'Text of the comment.',
      isDefault: true,
      read: (comment) => comment.data.message,
    },
    id: { type: 'string', description: 'Id of the comment.', isDefault: true, read: (comment) => comment.id },
    attachment: {
      type: 'object',
      description: 'A link or an image.',
      keys: objectKeys('type,url,media{image{src,width,height}},target{id,url}'),
      read: (comment) =>
        comment.data.attachment && { ...comment.data.attachment, target: { url: comment.data.attachment.url } },
    },
    comment_count: {
      type: 'int',
      description: 'Number of replies.',
      counts: { edge: 'comments' },
      read: (comment, call) => call.loader.size(edgeOf(comment.id, 'comments')),
    },
    like_count: {
      type: 'int',
      description: 'Number of likes.',
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
      description: 'The video that was commented on.',
      read: async (comment, call) => {
        const video = await call.loader.load(comment.data.rootId);
        return video && new Ref('video', video, ['id']);
      },
    },
    parent: {
      type: 'Comment',
      description: 'The comment that this one replies to.',
      read: async (comment, call) => {
        const { parentId } = comment.data;
        const parent = parentId === undefined ? undefined : ((await call.loader.load(parentId)) as Comment | undefined);
        if (parent === undefined || !(await call.access.maySeeComment(parent.data))) return undefined;
        return new Ref('comment', parent);
      },
    },
    permalink_url: {
      type: 'string',
      description: 'URL of the comment.',
      read: (comment, call) => `${call.originOf()}/${comment.id}`,
    },
    user_likes: flag('Whether the token’s owner likes the comment.', async (comment, call) => {
      if (!call.viewer) return false;
      return (await call.loader.entry(edgeOf(comment.id, 'likes'), call.viewer.ownerId)) !== undefined;
    }),
    message_tags: absent('list<object>', 'Not available: names in comments are not linked.'),
    application: absent('Application', 'Not available: the application is not recorded.'),
    admin_creator: absent('Profile', 'Not available: the author on behalf of a Page is not recorded.'),
    private_reply_conversation: absent('Conversation', 'Not available: private replies are not supported.'),
    can_comment: flag('Whether the token may reply to the comment.', (_comment, call) => call.viewer !== undefined),
    can_like: flag('Whether the token may like the comment.', (_comment, call) => call.viewer !== undefined),
    can_hide: flag('Whether the token may hide the comment.', moderates),
    can_remove: flag(
      'Whether the token may delete the comment.',
      async (comment, call) => isAuthor(comment, call) || moderates(comment, call),
    ),
    can_reply_privately: flag('Always false here.', () => false),
    is_hidden: flag('Whether only its author and moderators see it.', (comment) => comment.data.isHidden ?? false),
    is_private: flag('Always false here.', () => false),
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

/** `via`: field with the id of the object that has the comments: for a broadcast, its Video. */
export function commentsEdge<Data>(via?: string) {
  return defineEdge<Data, typeof readParams>({
    row: commentType,
    params: readParams,
    ...defined({ via }),
    lists: ({ paging, params }) => nodesOf(listNameOf(params), { ascending: isAscending(params) })({ paging }),
    read: async ({ call, owner, paging, params }) => {
      const name = { owner: listOwner(owner, via), edge: listNameOf(params) };
      const rows = await listNodes(call, name, paging, { ascending: isAscending(params), samePrivacy: true });
      const readable = await Promise.all(rows.rows.map(({ row }) => call.access.maySeeComment((row as Comment).data)));
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

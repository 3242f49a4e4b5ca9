/** Comments: what GET gives, updating and deleting. */
import { z } from 'zod';
import type { StoredObject, Write } from '../../../ports/index.js';
import { notPermitted } from '../../access/faults.js';
import { type Call, type Services, SUCCESS } from '../../graph/call.js';
import { absent, defineNodeType, type Field, Ref } from '../../graph/node-type.js';
import { operation } from '../../graph/registry.js';
import { graphTime } from '../../graph/values.js';
import { bool, text } from '../../params/kinds.js';
import { ownerRef } from '../owner.js';
import { editObject } from '../shared/edit.js';

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

const isAuthor = (comment: Comment, call: Call) => comment.data.fromId === call.viewer?.ownerId;
const moderates = (comment: Comment, call: Call) => call.access.manages(comment.data.ownerId, 'MODERATE');
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
      read: (comment, call) => call.loader.size({ owner: comment.id, edge: 'comments' }),
    },
    like_count: {
      type: 'int',
      description: 'Likes.',
      counts: { edge: 'likes' },
      read: (comment, call) => call.loader.size({ owner: comment.id, edge: 'likes' }),
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
      return (await call.loader.entry({ owner: comment.id, edge: 'likes' }, call.viewer.ownerId)) !== undefined;
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

const updateParams = z.object({
  message: text({ max: 8000 }).optional(),
  is_hidden: bool().optional(),
  attachment_url: text({ max: 2000 }).optional(),
});

export const updateComment = operation<CommentData, typeof updateParams>(
  updateParams,
  async (call, comment, params) => {
    if (params.message !== undefined && !isAuthor(comment, call))
      throw notPermitted('Only its author may change the text.');
    if (params.is_hidden !== undefined && !(await moderates(comment, call))) {
      throw notPermitted('Hiding a comment needs a token of the owner, or a role with the task MODERATE.');
    }
    await editObject<CommentData>(call, comment.id, (data) => ({
      ...data,
      ...(params.message === undefined ? {} : { message: params.message }),
      ...(params.is_hidden === undefined ? {} : { isHidden: params.is_hidden }),
      ...(params.attachment_url === undefined ? {} : { attachment: { type: 'share', url: params.attachment_url } }),
    }));
    return SUCCESS;
  },
);

export const deleteComment = operation<CommentData, z.ZodObject>(z.object({}), async (call, comment) => {
  await removeComments(call, comment.id);
  await call.services.store.objects.commit(removal(comment));
  return SUCCESS;
});

const PAGE = 200;

/** Deletes the comments of a video or of a comment, with what hangs on them, page by page. */
export async function removeComments(
  call: { readonly services: Pick<Services, 'store'> },
  ownerId: string,
): Promise<void> {
  const { store } = call.services;
  for (;;) {
    const page = await store.objects.page({ owner: ownerId, edge: 'comments' }, { limit: PAGE });
    if (page.entries.length === 0) return;
    const found = (await store.objects.getMany(page.entries.map((entry) => entry.member))) as (Comment | undefined)[];
    for (const comment of found)
      if (comment && comment.data.parentId === undefined) await removeComments(call, comment.id);
    const listed: Write[] = page.entries.map(({ member }) => ({
      op: 'edgeRemove',
      owner: ownerId,
      edge: 'comments',
      member,
    }));
    await store.objects.commit([...found.flatMap((comment) => (comment ? removal(comment) : [])), ...listed]);
  }
}

function removal({ id, data }: Comment): Write[] {
  return [
    { op: 'delete', id },
    { op: 'edgeRemove', owner: data.parentId ?? data.rootId, edge: 'comments', member: id },
    { op: 'edgeRemove', owner: data.rootId, edge: 'comments_all', member: id },
  ];
}

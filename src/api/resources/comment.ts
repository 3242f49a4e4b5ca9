/** Comments of videos: fields, edges and writes. */
import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject, TOPIC, type Write } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { notPermitted } from '../access/faults.js';
import { type Call, type Services, SUCCESS, viewerOf } from '../graph/call.js';
import { defineEdge, listOwner } from '../graph/edge.js';
import { listNodes, nodesOf } from '../graph/listed.js';
import { absent, defineNodeType, type Field, Ref } from '../graph/node-type.js';
import { objectKeys } from '../graph/object-keys.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { bool, id, oneOf, text } from '../params/kinds.js';
import { hasLiked } from './like.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';
import { announce, type Engagement } from './shared/engagement.js';
import { ownerRef } from './shared/profile.js';

// ---------------------------------------------------------------- fields and edges

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
    user_likes: flag('Whether the token’s owner likes the comment.', (comment, call) => hasLiked(call, comment.id)),
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

// ---------------------------------------------------------------- writes

const createParams = z.object({
  message: text({ max: 8000 }).optional(),
  text: text({ max: 8000 }).optional(),
  attachment_url: text({ max: 2000 }).optional(),
  attachment_share_url: text({ max: 2000 }).optional(),
  attachment_id: id().optional(),
  parent_comment_id: id().optional(),
});

/** Creates a comment on a video, or a reply if the target is a comment. */
export const createComment = operation<{ ownerId: string } & Partial<CommentData>, typeof createParams>(
  createParams,
  async (call, target, params) => {
    const message = params.message ?? params.text ?? '';
    const url = params.attachment_url ?? params.attachment_share_url;
    if (call.files.has('source') || params.attachment_id !== undefined) {
      throw parameterError('Images in comments are not supported: send message or attachment_url');
    }
    if (message.trim() === '' && url === undefined) throw parameterError('The parameter message is required');
    if (url !== undefined && !/^https?:\/\//i.test(url))
      throw parameterError('Param attachment_url must be an http URL');
    const parent =
      target.kind === 'comment' ? (target as Comment) : await parentOf(call, target.id, params.parent_comment_id);
    const rootId = parent?.data.rootId ?? target.id;
    const author = viewerOf(call);
    const data: CommentData = {
      rootId,
      ownerId: target.data.ownerId,
      fromId: author.ownerId,
      message,
      ...(parent ? { parentId: parent.data.parentId ?? parent.id } : {}),
      ...(url === undefined ? {} : { attachment: { type: 'share', url } }),
      ...(await liveOffset(call, rootId)),
    };
    const commentId = `${rootId}_${call.services.ids.next()}`;
    const at = { createdMs: call.nowMs, updatedMs: call.nowMs };
    await call.services.store.objects.commit([
      { op: 'put', object: { id: commentId, kind: 'comment', ...at, data }, expect: 0 },
      { op: 'edgeAdd', ...edgeOf(data.parentId ?? rootId, 'comments'), member: commentId, score: call.nowMs },
      { op: 'edgeAdd', ...edgeOf(rootId, 'comments_all'), member: commentId, score: call.nowMs },
    ]);
    const engagement: Engagement = {
      what: 'comment',
      videoId: rootId,
      id: commentId,
      fromId: author.ownerId,
      message,
      atMs: call.nowMs,
    };
    call.services.store.bus.publish(TOPIC.engagement, engagement);
    return { body: { id: commentId } };
  },
);

/** A reply to a reply is attached to the top-level comment: there are two levels. */
async function parentOf(call: Call, videoId: string, parentId: string | undefined): Promise<Comment | undefined> {
  if (parentId === undefined) return undefined;
  const parent = (await call.loader.load(parentId)) as Comment | undefined;
  const isThere = parent?.kind === 'comment' && parent.data.rootId === videoId;
  if (!isThere || !(await call.access.maySeeComment(parent.data))) {
    throw parameterError('Param parent_comment_id must be a comment on this video');
  }
  return parent;
}

async function liveOffset(call: Call, videoId: string): Promise<{ liveMs?: number }> {
  const video = await call.loader.load(videoId);
  const liveVideoId = (video?.data as { liveVideoId?: string } | undefined)?.liveVideoId;
  const live = liveVideoId === undefined ? undefined : await call.loader.load(liveVideoId);
  const data = live?.data as LiveVideoData | undefined;
  if (data?.status !== 'LIVE' || data.broadcastStartMs === undefined) return {};
  return { liveMs: Math.max(0, call.nowMs - data.broadcastStartMs) };
}

const updateParams = z.object({
  message: text({ max: 8000 }).optional(),
  is_hidden: bool().optional(),
  attachment_url: text({ max: 2000 }).optional(),
});

export const updateComment = operation<CommentData, typeof updateParams>(
  updateParams,
  async (call, comment, params) => {
    if (params.message !== undefined && !isAuthor(comment, call))
      throw notPermitted('Only the author may change the text of a comment.');
    if (params.is_hidden !== undefined && !(await moderates(comment, call))) {
      throw notPermitted('Hiding a comment requires a token of the owner, or a role with the task MODERATE.');
    }
    await editObject<CommentData>(call, comment.id, (data) => ({
      ...data,
      ...defined({ message: params.message, isHidden: params.is_hidden }),
      ...(params.attachment_url === undefined ? {} : { attachment: { type: 'share', url: params.attachment_url } }),
    }));
    announce(call, 'moderation', comment.data.rootId);
    return SUCCESS;
  },
);

export const deleteComment = operation<CommentData, z.ZodObject>(z.object({}), async (call, comment) => {
  await removeComments(call, comment.id);
  await call.services.store.objects.commit([...removal(comment), changeLine(call, 'delete', comment)]);
  announce(call, 'moderation', comment.data.rootId);
  return SUCCESS;
});

const PAGE = 200;

/** Deletes the comments of a video or comment, and their replies, page by page. */
export async function removeComments(
  call: { readonly services: Pick<Services, 'store'> },
  ownerId: string,
): Promise<void> {
  const { store } = call.services;
  for (;;) {
    const page = await store.objects.page(edgeOf(ownerId, 'comments'), { limit: PAGE });
    if (page.entries.length === 0) return;
    const found = (await store.objects.getMany(page.entries.map((entry) => entry.member))) as (Comment | undefined)[];
    for (const comment of found)
      if (comment && comment.data.parentId === undefined) await removeComments(call, comment.id);
    const listed: Write[] = page.entries.map(({ member }) => ({
      op: 'edgeRemove',
      ...edgeOf(ownerId, 'comments'),
      member,
    }));
    await store.objects.commit([...found.flatMap((comment) => (comment ? removal(comment) : [])), ...listed]);
  }
}

function removal({ id, data }: Comment): Write[] {
  return [
    { op: 'delete', id },
    { op: 'edgeRemove', ...edgeOf(data.parentId ?? data.rootId, 'comments'), member: id },
    { op: 'edgeRemove', ...edgeOf(data.rootId, 'comments_all'), member: id },
  ];
}

/** Creates, updates and deletes comments. */

import { z } from 'zod';
import { defined } from '../../../lib/objects.js';
import type { LiveVideoData } from '../../../lifecycle/documents.js';
import { edgeOf, TOPIC, type Write } from '../../../ports/index.js';
import { parameterError } from '../../../spec/service-errors.js';
import { notPermitted } from '../../access/faults.js';
import { type Call, type Services, SUCCESS } from '../../graph/call.js';
import { operation } from '../../graph/registry.js';
import { bool, id, text } from '../../params/kinds.js';
import { changeLine } from '../shared/change-line.js';
import { editObject } from '../shared/edit.js';
import { announce, type Engagement } from '../shared/engagement.js';
import { type Comment, type CommentData, isAuthor, moderates } from './fields.js';

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
    const author = call.viewer;
    if (!author) throw notPermitted('Requires an access token.');
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

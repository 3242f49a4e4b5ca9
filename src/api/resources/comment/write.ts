/** Comments on videos and broadcasts, and replies to comments. */
import { z } from 'zod';
import type { LiveVideoData } from '../../../broadcast/documents.js';
import { parameterError } from '../../../spec/service-errors.js';
import { notPermitted } from '../../access/faults.js';
import type { Call } from '../../graph/call.js';
import { defineEdge, listOwner } from '../../graph/edge.js';
import { listNodes, nodesOf } from '../../graph/listed.js';
import { operation } from '../../graph/registry.js';
import { id, oneOf, text } from '../../params/kinds.js';
import { ENGAGEMENT_TOPIC, type Engagement } from '../engagement.js';
import { type Comment, type CommentData, commentType } from './fields.js';

const readParams = z.object({
  filter: oneOf(['toplevel', 'stream']).optional(),
  order: oneOf(['chronological', 'reverse_chronological', 'ranked']).optional(),
  live_filter: oneOf(['filter_low_quality', 'no_filter']).optional(),
});

type ReadParams = z.output<typeof readParams>;

const edgeOf = ({ filter }: ReadParams) => (filter === 'stream' ? 'comments_all' : 'comments');
const isAscending = ({ order }: ReadParams) => order !== 'reverse_chronological';

/** `via`: the field that names what the comments lie under — of a broadcast, its Video. */
export function commentsEdge<Data>(via?: string) {
  return defineEdge<Data, typeof readParams>({
    row: commentType,
    params: readParams,
    ...(via === undefined ? {} : { via }),
    lists: ({ paging, params }) => nodesOf(edgeOf(params), { ascending: isAscending(params) })({ paging }),
    read: async ({ call, owner, paging, params }) => {
      const name = { owner: listOwner(owner, via), edge: edgeOf(params) };
      const rows = await listNodes(call, name, paging, { ascending: isAscending(params), samePrivacy: true });
      const readable = await Promise.all(rows.rows.map(({ row }) => call.access.seesComment((row as Comment).data)));
      return { ...rows, rows: rows.rows.filter((_row, index) => readable[index]) };
    },
    summary: {
      defaults: ['order', 'total_count', 'can_comment'],
      fields: {
        order: ({ params }) => (params.order === 'reverse_chronological' ? params.order : 'chronological'),
        total_count: ({ call, owner, params }) =>
          call.loader.size({ owner: listOwner(owner, via), edge: edgeOf(params) }),
        can_comment: ({ call }) => call.viewer !== undefined && call.viewer.ownerKind !== 'app',
      },
    },
  });
}

const createParams = z.object({
  message: text({ max: 8000 }).optional(),
  text: text({ max: 8000 }).optional(),
  attachment_url: text({ max: 2000 }).optional(),
  attachment_share_url: text({ max: 2000 }).optional(),
  attachment_id: id().optional(),
  parent_comment_id: id().optional(),
});

/** On a video, or as a reply to the comment that is the target. */
export const createComment = operation<{ ownerId: string } & Partial<CommentData>, typeof createParams>(
  createParams,
  async (call, target, params) => {
    const message = params.message ?? params.text ?? '';
    const url = params.attachment_url ?? params.attachment_share_url;
    if (call.files.has('source') || params.attachment_id !== undefined) {
      throw parameterError('A comment takes a message or a link (attachment_url), no image');
    }
    if (message.trim() === '' && url === undefined) throw parameterError('The parameter message is required');
    if (url !== undefined && !/^https?:\/\//i.test(url))
      throw parameterError('Param attachment_url must be an http URL');
    const parent =
      target.kind === 'comment' ? (target as Comment) : await parentOf(call, target.id, params.parent_comment_id);
    const rootId = parent?.data.rootId ?? target.id;
    const author = call.viewer;
    if (!author) throw notPermitted('A comment needs an author.');
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
      { op: 'edgeAdd', owner: data.parentId ?? rootId, edge: 'comments', member: commentId, score: call.nowMs },
      { op: 'edgeAdd', owner: rootId, edge: 'comments_all', member: commentId, score: call.nowMs },
    ]);
    const told: Engagement = {
      what: 'comment',
      videoId: rootId,
      id: commentId,
      fromId: author.ownerId,
      message,
      atMs: call.nowMs,
    };
    call.services.store.bus.publish(ENGAGEMENT_TOPIC, told);
    return { body: { id: commentId } };
  },
);

/** Replies to replies go to the comment above both: there are two levels. */
async function parentOf(call: Call, videoId: string, parentId: string | undefined): Promise<Comment | undefined> {
  if (parentId === undefined) return undefined;
  const parent = (await call.loader.load(parentId)) as Comment | undefined;
  const isThere = parent?.kind === 'comment' && parent.data.rootId === videoId;
  if (!isThere || !(await call.access.seesComment(parent.data))) {
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

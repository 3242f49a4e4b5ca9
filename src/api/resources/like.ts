/** Likes and reactions. LIKE is the only reaction that can be created. */

import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { OwnerData } from '../../lifecycle/documents.js';
import { edgeOf, TOPIC } from '../../ports/index.js';
import { type Call, SUCCESS, viewerOf } from '../graph/call.js';
import { defineEdge, listOwner } from '../graph/edge.js';
import { entriesOf, listEntries } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { NO_ROWS } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { oneOf } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import type { Engagement } from './shared/engagement.js';
import { nameOf, type Profile, profileFields, profileType } from './shared/profile.js';

export interface Reaction extends Profile {
  readonly type: string;
}

const reactionType = defineNodeType<Reaction>({
  typeName: 'Profile',
  idOf: (row) => row.id,
  fields: { ...profileFields, type: byDefault('string', 'Type of the reaction.', (row: Reaction) => row.type) },
});

const REACTIONS = [
  'NONE',
  'LIKE',
  'LOVE',
  'WOW',
  'HAHA',
  'SAD',
  'ANGRY',
  'THANKFUL',
  'PRIDE',
  'CARE',
  'FIRE',
  'HUNDRED',
] as const;

export async function hasLiked(call: Call, owner: string): Promise<boolean> {
  if (!call.viewer) return false;
  return (await call.loader.entry(edgeOf(owner, 'likes'), call.viewer.ownerId)) !== undefined;
}

/** `via`: field with the id of the object that has the likes: for a broadcast, its Video. */
export function likesEdge<Data>(via?: string) {
  return defineEdge<Data, z.ZodObject>({
    row: profileType,
    params: z.object({}),
    ...defined({ via }),
    lists: entriesOf('likes'),
    read: ({ call, owner, paging }) =>
      listEntries(call, edgeOf(listOwner(owner, via), 'likes'), paging, (entry) => ({
        id: entry.member,
        name: nameOf(entry.value),
      })),
    summary: {
      defaults: ['total_count', 'can_like', 'has_liked'],
      fields: {
        total_count: ({ call, owner }) => call.loader.size(edgeOf(listOwner(owner, via), 'likes')),
        can_like: ({ call }) => call.viewer !== undefined && call.viewer.ownerKind !== 'app',
        has_liked: ({ call, owner }) => hasLiked(call, listOwner(owner, via)),
      },
    },
  });
}

const reactionParams = z.object({ type: oneOf(REACTIONS).optional() });

export function reactionsEdge<Data>(via?: string) {
  const isNone = (type: string | undefined) => type !== undefined && type !== 'LIKE';
  return defineEdge<Data, typeof reactionParams>({
    row: reactionType,
    params: reactionParams,
    ...defined({ via }),
    lists: ({ paging, params }) => (isNone(params.type) ? [] : entriesOf('likes')({ paging })),
    read: async ({ call, owner, paging, params }) =>
      isNone(params.type)
        ? NO_ROWS
        : listEntries(call, edgeOf(listOwner(owner, via), 'likes'), paging, (entry) => ({
            id: entry.member,
            name: nameOf(entry.value),
            type: 'LIKE',
          })),
    summary: {
      defaults: ['total_count', 'viewer_reaction'],
      fields: {
        total_count: async ({ call, owner, params }) =>
          isNone(params.type) ? 0 : call.loader.size(edgeOf(listOwner(owner, via), 'likes')),
        viewer_reaction: async ({ call, owner }) => ((await hasLiked(call, listOwner(owner, via))) ? 'LIKE' : 'NONE'),
      },
    },
  });
}

export const like = operation<unknown, z.ZodObject>(z.object({}), async (call, target) => {
  const { ownerId } = viewerOf(call);
  const name = ((await call.loader.load(ownerId))?.data as OwnerData | undefined)?.name ?? '';
  const edge = edgeOf(target.id, 'likes');
  if (await hasLiked(call, target.id)) return SUCCESS;
  await call.services.store.objects.commit([
    { op: 'edgeAdd', ...edge, member: ownerId, score: call.nowMs, value: { name } },
  ]);
  const engagement: Engagement = {
    what: 'reaction',
    videoId: target.id,
    fromId: ownerId,
    type: 'LIKE',
    atMs: call.nowMs,
  };
  call.services.store.bus.publish(TOPIC.engagement, engagement);
  return SUCCESS;
});

export const unlike = operation<unknown, z.ZodObject>(z.object({}), async (call, target) => {
  await call.services.store.objects.commit([
    { op: 'edgeRemove', ...edgeOf(target.id, 'likes'), member: viewerOf(call).ownerId },
    changeLine(call, 'delete', target),
  ]);
  return SUCCESS;
});

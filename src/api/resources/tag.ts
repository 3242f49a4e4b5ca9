/** Tagged people, sponsors, and posts that share a video. */
import { z } from 'zod';
import type { OwnerData } from '../../broadcast/documents.js';
import type { StoredObject, Write } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { notPermitted } from '../access/faults.js';
import type { Call } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { entriesOf, listEntries, listNodes, nodesOf } from '../graph/listed.js';
import { pageOfList } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { text } from '../params/kinds.js';
import { type PostData, postType } from './post.js';
import { tagType } from './shared/profile.js';
import type { Video, VideoDoc } from './video/fields.js';

const count = (edge: string) => ({
  defaults: ['total_count'],
  fields: {
    total_count: ({ call, owner }: { call: Call; owner: StoredObject }) => call.loader.size({ owner: owner.id, edge }),
  },
});

export const tagsEdge = defineEdge<unknown, z.ZodObject>({
  row: tagType,
  params: z.object({}),
  lists: entriesOf('tags'),
  read: ({ call, owner, paging }) =>
    listEntries(call, { owner: owner.id, edge: 'tags' }, paging, (entry) => ({
      id: entry.member,
      name: (entry.value as { name?: string } | undefined)?.name ?? '',
      createdMs: entry.score,
    })),
  summary: count('tags'),
});

/** @throws ServiceError 100 for an id that is no user or Page */
export async function tagWrites(call: Call, videoId: string, ids: readonly string[]): Promise<Write[]> {
  const found = await call.services.store.objects.getMany(ids);
  return found.flatMap((tagged, index): Write[] => {
    if (tagged?.kind !== 'user' && tagged?.kind !== 'page') {
      throw parameterError(`Param tags[${index}] must be the id of a user or a Page`);
    }
    const { name } = tagged.data as OwnerData;
    return [
      { op: 'edgeAdd', owner: videoId, edge: 'tags', member: tagged.id, score: call.nowMs, value: { name } },
      { op: 'edgeAdd', owner: tagged.id, edge: 'tagged_videos', member: videoId, score: call.nowMs },
    ];
  });
}

export const sponsorTagsEdge = defineEdge<VideoDoc, z.ZodObject>({
  row: 'page',
  params: z.object({}),
  follows: ['sponsorId'],
  read: async ({ call, owner, paging }) => {
    const { sponsorId } = owner.data;
    const sponsor = sponsorId === undefined ? undefined : await call.loader.load(sponsorId);
    return pageOfList(sponsor === undefined ? [] : [sponsor], (page) => page.id, paging);
  },
});

export const sharedPostsEdge = defineEdge<unknown, z.ZodObject>({
  row: postType,
  params: z.object({}),
  lists: nodesOf('shared_posts'),
  read: ({ call, owner, paging }) =>
    listNodes(call, { owner: owner.id, edge: 'shared_posts' }, paging, { samePrivacy: true }),
  summary: count('shared_posts'),
});

const shareParams = z.object({ message: text({ max: 8000 }).optional() });

export const share = operation<VideoDoc, typeof shareParams>(shareParams, async (call, video: Video, params) => {
  if (!call.viewer) throw notPermitted('A post needs an author.');
  const { ownerId: fromId } = call.viewer;
  const name = ((await call.loader.load(fromId))?.data as OwnerData | undefined)?.name ?? 'Somebody';
  const id = `${fromId}_${call.services.ids.next()}`;
  const data: PostData = {
    rootId: video.id,
    fromId,
    story: `${name} shared a video.`,
    ...(params.message === undefined ? {} : { message: params.message }),
  };
  await call.services.store.objects.commit([
    { op: 'put', object: { id, kind: 'post', createdMs: call.nowMs, updatedMs: call.nowMs, data }, expect: 0 },
    { op: 'edgeAdd', owner: video.id, edge: 'shared_posts', member: id, score: call.nowMs },
  ]);
  return { body: { id } };
});

/** Tags and sponsors of a video. */

import { z } from 'zod';
import type { OwnerData, VideoData } from '../../lifecycle/documents.js';
import { edgeOf, type Write } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { Call } from '../graph/call.js';
import { defineEdge, totalCount } from '../graph/edge.js';
import { entriesOf, listEntries } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { pageOfList } from '../graph/paging.js';
import { graphTime } from '../graph/values.js';
import { type Profile, profileFields } from './shared/profile.js';

export interface TaggedProfile extends Profile {
  readonly createdMs: number;
}

export const tagType = defineNodeType<TaggedProfile>({
  typeName: 'TaggableSubject',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    created_time: byDefault('datetime', 'When the tag was added.', (row: TaggedProfile, call) =>
      graphTime(row.createdMs, call),
    ),
  },
});

export const tagsEdge = defineEdge<unknown, z.ZodObject>({
  row: tagType,
  params: z.object({}),
  lists: entriesOf('tags'),
  read: ({ call, owner, paging }) =>
    listEntries(call, edgeOf(owner.id, 'tags'), paging, (entry) => ({
      id: entry.member,
      name: (entry.value as { name?: string } | undefined)?.name ?? '',
      createdMs: entry.score,
    })),
  summary: totalCount('tags'),
});

/** @throws ServiceError 100 for an id that is not a user's or a Page's */
export async function tagWrites(call: Call, videoId: string, ids: readonly string[]): Promise<Write[]> {
  const found = await call.services.store.objects.getMany(ids);
  return found.flatMap((tagged, index): Write[] => {
    if (tagged?.kind !== 'user' && tagged?.kind !== 'page') {
      throw parameterError(`Param tags[${index}] must be the id of a user or a Page`);
    }
    const { name } = tagged.data as OwnerData;
    return [
      { op: 'edgeAdd', ...edgeOf(videoId, 'tags'), member: tagged.id, score: call.nowMs, value: { name } },
      { op: 'edgeAdd', ...edgeOf(tagged.id, 'tagged_videos'), member: videoId, score: call.nowMs },
    ];
  });
}

export const sponsorTagsEdge = defineEdge<VideoData, z.ZodObject>({
  row: 'page',
  params: z.object({}),
  follows: ['sponsorId'],
  read: async ({ call, owner, paging }) => {
    const { sponsorId } = owner.data;
    const sponsor = sponsorId === undefined ? undefined : await call.loader.load(sponsorId);
    return pageOfList(sponsor === undefined ? [] : [sponsor], (page) => page.id, paging);
  },
});

/** @throws ServiceError 100 for an id that is not a Page's */
export async function sponsorOf(call: Call, sponsorId: string | undefined): Promise<{ sponsorId?: string }> {
  if (sponsorId === undefined) return {};
  if ((await call.loader.load(sponsorId))?.kind !== 'page') {
    throw parameterError('Param sponsor_id must be the id of a Page');
  }
  return { sponsorId };
}

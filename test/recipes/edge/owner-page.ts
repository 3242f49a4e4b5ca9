/** An example of an edge: the owner of a video, as a list of one. */
import { z } from 'zod';
import { defineEdge } from '../../../src/api/graph/edge.js';
import { pageOfList } from '../../../src/api/graph/paging.js';
import type { VideoData } from '../../../src/lifecycle/documents.js';

export const ownerPageEdge = defineEdge<VideoData, z.ZodObject>({
  row: 'page',
  params: z.object({}),
  follows: ['ownerId'],
  read: async ({ call, owner, paging }) => {
    const page = await call.loader.load(owner.data.ownerId);
    return pageOfList(page === undefined ? [] : [page], ({ id }) => id, paging);
  },
});

/** `GET /{owner}/videos`. */

import { z } from 'zod';
import type { OwnerData } from '../../../lifecycle/documents.js';
import { type EdgeName, type EdgePage, edgeOf, type PageQuery, type StoredObject } from '../../../ports/index.js';
import { notPermitted } from '../../access/faults.js';
import type { Call } from '../../graph/call.js';
import { defineEdge } from '../../graph/edge.js';
import { filledPage, listNodes, nodesOf } from '../../graph/listed.js';
import { type Paging, type Rows, storeQuery } from '../../graph/paging.js';
import { oneOf } from '../../params/kinds.js';
import { broadcastOf, type Video } from '../shared/documents.js';
import { videoType } from './fields.js';

const readParams = z.object({ type: oneOf(['uploaded', 'tagged', 'uploading']).optional() });

/** A session is under way until it expires, also before it is swept. */
interface Session {
  readonly videoId: string;
  readonly expiresMs: number;
}

/** Videos whose upload is under way, for the managers of the owner: DELETE of one ends its upload. */
async function listUploading(call: Call, owner: StoredObject<OwnerData>, paging: Paging): Promise<Rows> {
  if (!(await call.access.manages(owner.id)))
    throw notPermitted('Requires a token of the owner, or a role with the task CREATE_CONTENT.');
  const read = (query: PageQuery) => call.loader.page(edgeOf(owner.id, 'upload_sessions'), query);
  return filledPage(paging, storeQuery(paging), read, async (id) => {
    const session = (await call.loader.load(id))?.data as Session | undefined;
    return session === undefined || session.expiresMs <= call.nowMs ? undefined : call.loader.load(session.videoId);
  });
}

/** Without `type`: the uploaded and tagged videos of a user, or the uploaded videos of a Page or group. */
const listOfVideos = (withTagged: boolean) =>
  defineEdge<OwnerData, typeof readParams>({
    row: videoType,
    params: readParams,
    lists: ({ paging, params }) => [
      ...(params.type === undefined || params.type === 'uploaded' ? nodesOf('videos')({ paging }) : []),
      ...(params.type === 'tagged' || (params.type === undefined && withTagged)
        ? nodesOf('tagged_videos')({ paging })
        : []),
    ],
    read: ({ call, owner, paging, params }) => {
      if (params.type === 'uploading') return listUploading(call, owner, paging);
      const uploaded = edgeOf(owner.id, 'videos');
      const tagged = edgeOf(owner.id, 'tagged_videos');
      const keep = (video: StoredObject) => hasAired(video, call);
      if (params.type === 'tagged') return listNodes(call, tagged, paging, { keep });
      if (params.type === 'uploaded' || !withTagged) return listNodes(call, uploaded, paging, { keep });
      return listBoth(call, uploaded, tagged, paging);
    },
  });

export const videosEdge = listOfVideos(false);
export const userVideosEdge = listOfVideos(true);

/** Merges two lists, newest first. Cursors are positions in time, so they are valid for both lists. */
function listBoth(call: Call, left: EdgeName, right: EdgeName, paging: Paging): Promise<Rows> {
  const backward = paging.before !== undefined && paging.after === undefined;
  const read = async (query: PageQuery): Promise<EdgePage> => {
    const pages = await Promise.all([call.loader.page(left, query), call.loader.page(right, query)]);
    const merged = merge(pages);
    const entries = backward ? merged.slice(-paging.limit) : merged.slice(0, paging.limit);
    const cut = merged.length > entries.length;
    return {
      entries,
      hasNext: (!backward && cut) || pages.some((each) => each.hasNext),
      hasPrevious: (backward && cut) || pages.some((each) => each.hasPrevious),
    };
  };
  return filledPage(paging, storeQuery(paging), read, async (id) => {
    const video = await call.loader.load(id);
    if (video === undefined || !(await hasAired(video, call))) return undefined;
    return (await call.access.maySee(video)) ? video : undefined;
  });
}

/** False for the Video of a broadcast that has not aired: there is nothing to list yet. */
async function hasAired(video: StoredObject, call: Call): Promise<boolean> {
  const live = await broadcastOf(video as Video, call);
  return live === undefined || live.data.broadcastStartMs !== undefined;
}

function merge(pages: readonly EdgePage[]): EdgePage['entries'] {
  const byId = new Map(pages.flatMap((page) => page.entries).map((entry) => [entry.member, entry]));
  return [...byId.values()].sort((a, b) => b.score - a.score || (a.member < b.member ? 1 : -1));
}

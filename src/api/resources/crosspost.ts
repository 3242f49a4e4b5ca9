/** Cross-posting: which Pages may reuse a video, which Pages are paired, and the copies of a broadcast. */

import { z } from 'zod';
import type { LiveVideoData, OwnerData, VideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject, type Write } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { isShownBroadcast } from '../access/published.js';
import { type Call, SUCCESS } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { entriesOf, listEntries } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { pageOfList } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { bool, id, list, object, oneOf } from '../params/kinds.js';
import type { Poll } from './poll.js';
import { pollRemoval } from './poll.js';
import { removeListed, removeVideo } from './removal.js';
import { changeLine } from './shared/change-line.js';
import type { LiveVideo, Video } from './shared/documents.js';
import { type Profile, profileFields } from './shared/profile.js';
import { buryAll } from './tombstone.js';

export interface PairedPage extends Profile {
  readonly allowsLive: boolean;
}

const pairedPageType = defineNodeType<PairedPage>({
  typeName: 'Page',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    allows_live_crossposts: byDefault(
      'bool',
      'Whether broadcasts may be cross-posted.',
      (row: PairedPage) => row.allowsLive,
    ),
  },
});

/** The Pages on which a video, or the Video of a broadcast, is shared. */
export const sharedPagesEdge = defineEdge<{ videoId?: string }, z.ZodObject>({
  row: 'page',
  params: z.object({}),
  follows: ['videoId', 'crosspostPageIds'],
  read: async ({ call, owner, paging }) => {
    const video = owner.data.videoId === undefined ? owner : await call.loader.load(owner.data.videoId);
    const ids = (video?.data as VideoData | undefined)?.crosspostPageIds ?? [];
    const found = await Promise.all(ids.map((each) => call.loader.load(each)));
    const pages = found.filter((each) => each !== undefined);
    return pageOfList(pages, (page) => page.id, paging);
  },
});

export const pairedPagesEdge = defineEdge<OwnerData, z.ZodObject>({
  row: pairedPageType,
  params: z.object({}),
  lists: entriesOf('paired_pages'),
  read: ({ call, owner, paging }) =>
    listEntries(call, edgeOf(owner.id, 'paired_pages'), paging, (entry) => {
      const value = entry.value as { name: string; allowLive: boolean };
      return { id: entry.member, name: value.name, allowsLive: value.allowLive };
    }),
});

/** The list includes copies that only the managers of their Pages see yet: the owner of the original made them. */
export const crosspostedBroadcastsEdge = defineEdge<LiveVideoData, z.ZodObject>({
  row: 'live_video',
  params: z.object({}),
  follows: ['crosspostCopies'],
  read: async ({ call, owner, paging }) => pageOfList(await copiesOf(call, owner.data), (copy) => copy.id, paging),
});

async function copiesOf(call: Call, { crosspostCopies = [] }: LiveVideoData): Promise<readonly LiveVideo[]> {
  const found = await Promise.all(crosspostCopies.map((each) => call.loader.load(each)));
  return found.flatMap((copy) => (copy === undefined ? [] : [copy as LiveVideo]));
}

const handshake = list(object({ partner_page_id: id(), allow_live: bool().optional() }));
const pageParams = z.object({
  begin_crossposting_handshake: handshake.optional(),
  accept_crossposting_handshake: handshake.optional(),
});

/** One Page begins the handshake, the other accepts; then each is in the other's list. */
export const updatePage = operation<OwnerData, typeof pageParams>(pageParams, async (call, page, params) => {
  const writes: Write[] = [];
  for (const { partner_page_id: partnerId, allow_live: allowLive = false } of params.begin_crossposting_handshake ??
    []) {
    await partner(call, partnerId);
    const value = { allowLive };
    writes.push({ op: 'edgeAdd', ...edgeOf(partnerId, 'pairing_offers'), member: page.id, score: call.nowMs, value });
  }
  for (const { partner_page_id: partnerId, allow_live: allowLive } of params.accept_crossposting_handshake ?? []) {
    const other = await partner(call, partnerId);
    const offer = await call.services.store.objects.edgeEntry(edgeOf(page.id, 'pairing_offers'), partnerId);
    if (offer === undefined) throw crosspostRefused(`The Page ${partnerId} has not begun a handshake with this one`);
    const both = (offer.value as { allowLive: boolean }).allowLive && (allowLive ?? true);
    writes.push(
      { op: 'edgeRemove', ...edgeOf(page.id, 'pairing_offers'), member: partnerId },
      pairing(page.id, other, both, call.nowMs),
      pairing(partnerId, page, both, call.nowMs),
    );
  }
  await call.services.store.objects.commit([...writes, changeLine(call, 'pair', page)]);
  return SUCCESS;
});

function pairing(ownerId: string, other: StoredObject<OwnerData>, allowLive: boolean, score: number): Write {
  return {
    op: 'edgeAdd',
    ...edgeOf(ownerId, 'paired_pages'),
    member: other.id,
    score,
    value: { name: other.data.name, allowLive },
  };
}

async function partner(call: Call, pageId: string): Promise<StoredObject<OwnerData>> {
  const found = await call.loader.load(pageId);
  if (found?.kind !== 'page') throw crosspostRefused(`No Page has the id ${pageId}`);
  return found as StoredObject<OwnerData>;
}

/** Refuses the whole request: one invalid pair means that nothing is changed. */
function crosspostRefused(reason: string): ServiceError {
  return new ServiceError({
    code: -1,
    subcode: 1363103,
    type: 'OAuthException',
    status: 400,
    message: 'Fatal',
    title: 'Invalid Parameters',
    userMessage: reason,
    isTransient: false,
  });
}

export const crosspostingActions = list(
  object({
    page_id: id(),
    action: oneOf(['ENABLE_CROSSPOSTING', 'DISABLE_CROSSPOSTING', 'ENABLE_CROSSPOSTING_AND_CREATE_POST']),
  }),
);

/** Applies `crossposting_actions` of a broadcast to Pages paired for broadcasts. @returns ids of the allowed Pages */
export async function applyCrosspostingActions(
  call: Call,
  pageId: string,
  allowed: readonly string[],
  actions: z.output<typeof crosspostingActions>,
): Promise<readonly string[]> {
  const next = new Set(allowed);
  for (const { page_id: partnerId, action } of actions) {
    if (action === 'DISABLE_CROSSPOSTING') {
      next.delete(partnerId);
      continue;
    }
    const pair = await call.services.store.objects.edgeEntry(edgeOf(pageId, 'paired_pages'), partnerId);
    if ((pair?.value as { allowLive?: boolean } | undefined)?.allowLive !== true) {
      throw crosspostRefused(`The Page ${partnerId} is not paired for broadcasts`);
    }
    if (!next.has(partnerId)) await call.services.quota.requireObject(partnerId);
    next.add(partnerId);
  }
  return [...next];
}

/** Gives each allowed Page a copy of the broadcast, and deletes those of the others. */
export async function setCopies(call: Call, live: LiveVideo, allowed: readonly string[]): Promise<void> {
  const gone = (await copiesOf(call, live.data)).filter(({ data }) => !allowed.includes(data.ownerId));
  await removeCopies(call, live, gone, 'with-video');
  await call.services.broadcasts.request(live.id, { type: 'crosspost', pageIds: allowed });
  call.loader.forget(live.id);
}

/** Deletes all copies of a broadcast before itself. Their Videos stay while the recording does, or go with its Video. */
export async function removeAllCopies(call: Call, live: LiveVideo): Promise<void> {
  await removeCopies(call, live, await copiesOf(call, live.data), 'without-video');
}

/** Deletes a copy at the request of its Page. `asked`: the object of the request; a Video is deleted by its own. */
export async function removeCopy(call: Call, copy: LiveVideo, asked: 'live_video' | 'video'): Promise<void> {
  const original = (await call.loader.load(copy.data.crosspostOf ?? '')) as LiveVideo | undefined;
  if (original !== undefined)
    await removeCopies(call, original, [copy], asked === 'video' ? 'without-video' : 'with-video');
}

async function removeCopies(
  call: Call,
  live: LiveVideo,
  copies: readonly LiveVideo[],
  how: 'with-video' | 'without-video',
): Promise<void> {
  if (copies.length === 0) return;
  const wasPublic = isShownBroadcast(live.data, call.nowMs);
  const stones = copies.map(({ id, data: { ownerId, ownerKind, videoId } }) => ({
    id,
    stone: { was: 'live_video' as const, ownerId, ownerKind, wasPublic, keptVideoId: videoId },
  }));
  await buryAll(call.services, stones);
  const lines = copies.map((copy) => changeLine(call, 'delete', copy));
  await call.services.broadcasts.request(
    live.id,
    { type: 'uncrosspost', copyIds: copies.map(({ id: each }) => each) },
    lines,
  );
  for (const copy of copies) {
    call.loader.forget(copy.id);
    await removeListed(call, copy.id, 'polls', (poll) => pollRemoval(poll as Poll));
    const video = how === 'with-video' ? await call.loader.load(copy.data.videoId) : undefined;
    if (video !== undefined) {
      await removeVideo(call, video as Video, (removed) => changeLine(call, 'delete', removed));
      call.loader.forget(video.id);
    }
  }
}

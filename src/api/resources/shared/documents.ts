/** Stored videos and live videos, and the fields that the two share. */

import type { LiveVideoData, VideoData } from '../../../lifecycle/documents.js';
import {
  type DetectorState,
  edgeOf,
  type StoredMatch,
  type StoredObject,
  SYSTEM_EDGES,
  stateFor,
  VOLATILE,
} from '../../../ports/index.js';
import { isCopyrightStopped } from '../../access/published.js';
import type { Call } from '../../graph/call.js';

export type Video = StoredObject<VideoData>;

export async function broadcastOf(video: Video, call: Call): Promise<StoredObject<LiveVideoData> | undefined> {
  const id = video.data.liveVideoId;
  return id === undefined ? undefined : ((await call.loader.load(id)) as StoredObject<LiveVideoData> | undefined);
}

export type LiveVideo = StoredObject<LiveVideoData>;

const SHARED = [
  'title',
  'description',
  'privacy',
  'embeddable',
  'contentTags',
  'customLabels',
  'isWithdrawn',
  'expiration',
] as const;

/** Selects the changed fields that a broadcast and its Video both have and that must stay equal. */
export function sharedFields(fields: Readonly<Record<string, unknown>>): Partial<VideoData> {
  return Object.fromEntries(SHARED.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** The video with the media and pictures: for a cross-posted copy, the original. */
export async function mediaOf(video: Video, call: Call): Promise<Video> {
  const of = video.data.crosspostOf;
  return of === undefined ? video : (((await call.loader.load(of)) as Video | undefined) ?? video);
}

/** Whether the recording, or the original of a copy, was stopped for copyright. */
async function hasCopyrightMatch(video: Video, call: Call): Promise<boolean> {
  const original = await mediaOf(video, call);
  const live = await broadcastOf(original, call);
  return live === undefined ? original.data.isCopyrightStopped === true : isCopyrightStopped(live.data);
}

/** Result of the comparison with copyright references. Own references and those of Pages that allow it are no matches. */
export async function copyrightCheckOf(video: Video, call: Call): Promise<{ status: string; matches_found: boolean }> {
  const original = await mediaOf(video, call);
  const { copyrightCheck, liveVideoId } = original.data;
  const isComplete = copyrightCheck?.status === 'complete';
  // In one round trip with the broadcast.
  const [isStopped, live, isFoundLive] = await Promise.all([
    hasCopyrightMatch(original, call),
    broadcastOf(original, call),
    isComplete || liveVideoId === undefined ? false : hasLiveMatch(liveVideoId, call),
  ]);
  if (isStopped) return { status: 'complete', matches_found: true };
  if (isComplete) return { status: 'complete', matches_found: copyrightCheck.matches.length > 0 };
  const found = { matches_found: isFoundLive };
  if (copyrightCheck !== undefined) return { status: copyrightCheck.status, ...found };
  if (live?.data.status === 'LIVE' && (await isComparing(live.data.ownerId, call)))
    return { status: 'in_progress', ...found };
  // The recording is missing or was not compared.
  return { status: isFoundLive ? 'complete' : 'not_started', ...found };
}

/** Whether a match was found while the broadcast ran, and is not dismissed. */
async function hasLiveMatch(liveVideoId: string, call: Call): Promise<boolean> {
  const { objects } = call.services.store;
  const { entries } = await objects.page(edgeOf(liveVideoId, 'copyright_matches'), { limit: LIVE_MATCHES });
  const matches = await Promise.all(
    entries.map(({ member }) => objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, member)),
  );
  return matches.some((match) => match !== undefined && (match.value as StoredMatch).state !== 'dismissed');
}

async function isComparing(ownerId: string, call: Call): Promise<boolean> {
  const state = await call.services.store.volatile.get(VOLATILE.copyrightDetector);
  return stateFor(state as DetectorState | undefined, ownerId) === 'on';
}

/** The newest that are looked at: a broadcast has 20 an hour at most. */
const LIVE_MATCHES = 20;

/** Whether it may be cross-posted at all: its owner permits it, it has aired, and it was not stopped for copyright. */
export async function isCrosspostable(video: Video, call: Call): Promise<boolean> {
  const original = await mediaOf(video, call);
  if (original.data.crosspostingEligible === false || (await hasCopyrightMatch(original, call))) return false;
  const live = await broadcastOf(original, call);
  return live === undefined || live.data.broadcastStartMs !== undefined;
}

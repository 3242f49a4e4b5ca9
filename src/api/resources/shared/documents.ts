/** Stored videos and live videos, and the fields that the two share. */

import type { LiveVideoData, VideoData } from '../../../broadcast/documents.js';
import type { StoredObject } from '../../../ports/index.js';
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
export async function hasCopyrightMatch(video: Video, call: Call): Promise<boolean> {
  const original = await mediaOf(video, call);
  const live = await broadcastOf(original, call);
  return live === undefined ? original.data.isCopyrightStopped === true : isCopyrightStopped(live.data);
}

/** What the comparison with copyright references found. Own references and those of Pages that allow it are no matches. */
export async function copyrightCheckOf(video: Video, call: Call): Promise<{ status: string; matches_found: boolean }> {
  if (await hasCopyrightMatch(video, call)) return { status: 'complete', matches_found: true };
  const { copyrightCheck } = (await mediaOf(video, call)).data;
  return {
    status: copyrightCheck?.status ?? 'not_checked',
    matches_found: copyrightCheck !== undefined && copyrightCheck.matches.length > 0,
  };
}

/** Whether it may be cross-posted at all: its owner permits it, it has aired, and it was not stopped for copyright. */
export async function isCrosspostable(video: Video, call: Call): Promise<boolean> {
  const original = await mediaOf(video, call);
  if (original.data.crosspostingEligible === false || (await hasCopyrightMatch(original, call))) return false;
  const live = await broadcastOf(original, call);
  return live === undefined || live.data.broadcastStartMs !== undefined;
}

/** Videos and live videos as they are stored, and what the two share. */

import type { LiveVideoData, VideoData } from '../../../broadcast/documents.js';
import type { StoredObject } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';

export type Video = StoredObject<VideoData>;

export async function broadcastOf(video: Video, call: Call): Promise<StoredObject<LiveVideoData> | undefined> {
  const id = video.data.liveVideoId;
  return id === undefined ? undefined : ((await call.loader.load(id)) as StoredObject<LiveVideoData> | undefined);
}

export type LiveVideo = StoredObject<LiveVideoData>;

const SHARED = ['title', 'description', 'privacy', 'embeddable', 'contentTags', 'customLabels'] as const;

/** Of the fields that are to change, those that a broadcast and its Video both hold: they stay the same in both. */
export function sharedFields(fields: Readonly<Record<string, unknown>>): Partial<VideoData> {
  return Object.fromEntries(SHARED.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** Bytes and pictures of a cross-posted copy are the original's. */
export async function mediaOf(video: Video, call: Call): Promise<Video> {
  const of = video.data.crosspostOf;
  return of === undefined ? video : (((await call.loader.load(of)) as Video | undefined) ?? video);
}

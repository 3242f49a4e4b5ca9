/** Stored videos and live videos, and the fields that the two share. */

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

/** Selects the changed fields that a broadcast and its Video both have and that must stay equal. */
export function sharedFields(fields: Readonly<Record<string, unknown>>): Partial<VideoData> {
  return Object.fromEntries(SHARED.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** The video with the media and pictures: for a cross-posted copy, the original. */
export async function mediaOf(video: Video, call: Call): Promise<Video> {
  const of = video.data.crosspostOf;
  return of === undefined ? video : (((await call.loader.load(of)) as Video | undefined) ?? video);
}

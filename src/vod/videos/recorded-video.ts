/** The Video that a recording fills, also once the live video of the broadcast was deleted. */
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import { DERIVED_ID, type Store } from '../../ports/index.js';

export interface RecordedVideo {
  readonly videoId: string;
  /** Absent: it was deleted. */
  readonly live: LiveVideoData | undefined;
}

/** `undefined`: the Video was deleted with the live video, or after it. */
export async function recordedVideo(
  { objects }: Pick<Store, 'objects'>,
  liveVideoId: string,
): Promise<RecordedVideo | undefined> {
  const live = await objects.get<LiveVideoData>(liveVideoId);
  if (live !== undefined) return { videoId: live.data.videoId, live: live.data };
  const stone = await objects.get<{ readonly keptVideoId?: string }>(DERIVED_ID.tombstone(liveVideoId));
  const videoId = stone?.data.keptVideoId;
  if (videoId === undefined || (await objects.get<VideoData>(videoId)) === undefined) return undefined;
  return { videoId, live: undefined };
}

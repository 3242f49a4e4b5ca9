/** Whether a video is visible now. Scheduled times are evaluated on read, so no timer is needed. */
import type { VideoData } from '../../broadcast/documents.js';

export type Shown = 'shown' | 'managers' | 'gone';

export function shownNow(video: VideoData, nowMs: number): Shown {
  const { expiration } = video;
  if (expiration !== undefined && expiration.timeMs <= nowMs) {
    return expiration.type === 'expire_and_delete' ? 'gone' : 'managers';
  }
  return isPublished(video, nowMs) ? 'shown' : 'managers';
}

export function isPublished(video: VideoData, nowMs: number): boolean {
  return video.published || (video.scheduledPublishMs !== undefined && video.scheduledPublishMs <= nowMs);
}

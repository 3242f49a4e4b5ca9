/** Whether a video or broadcast is visible now. Times are evaluated on read, so no timer is needed. */
import type { LiveVideoData, VideoData } from '../../lifecycle/documents.js';
import { COPYRIGHT_CODE } from '../../spec/service-errors.js';

export type Shown = 'shown' | 'managers' | 'gone';

/** States in which a broadcast is visible to its audience; in all others only to its managers. */
const SHOWN: ReadonlySet<string> = new Set(['LIVE', 'LIVE_STOPPED', 'PROCESSING', 'VOD']);

/** Stopped for copyright, or withheld by the operator after its end; not if the operator has released it. */
export function isCopyrightStopped({ copyrightDecision, endReason }: LiveVideoData): boolean {
  return copyrightDecision === undefined ? endReason?.code === COPYRIGHT_CODE : copyrightDecision === 'withheld';
}

/** Not once its owner withdrew the recording, and never after a stop for copyright. */
export function isShownBroadcast(live: LiveVideoData, nowMs: number): boolean {
  const isExpired = live.expiration !== undefined && live.expiration.timeMs <= nowMs;
  return SHOWN.has(live.status) && live.isWithdrawn !== true && !isExpired && !isCopyrightStopped(live);
}

/** For a video that is not the Video of an existing broadcast. */
export function shownNow(video: VideoData, nowMs: number): Shown {
  const { expiration } = video;
  if (expiration !== undefined && expiration.timeMs <= nowMs) {
    return expiration.type === 'expire_and_delete' ? 'gone' : 'managers';
  }
  return isPublished(video, nowMs) ? 'shown' : 'managers';
}

/** A recording whose live video was deleted is published unless it was withdrawn or stopped. */
export function isPublished(video: VideoData, nowMs: number): boolean {
  if (video.isCopyrightStopped === true) return false;
  if (video.liveVideoId !== undefined) return video.isWithdrawn !== true;
  return video.published || (video.scheduledPublishMs !== undefined && video.scheduledPublishMs <= nowMs);
}

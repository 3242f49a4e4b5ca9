/** The field `status` of a video: uploading, processing and publishing phases. */

import type { LiveVideoData } from '../../../lifecycle/documents.js';
import { isPublished, isShownBroadcast } from '../../access/published.js';
import type { Call } from '../../graph/call.js';
import { objectKeys } from '../../graph/object-keys.js';
import { graphTime } from '../../graph/values.js';
import { broadcastOf, copyrightCheckOf, mediaOf, type Video } from '../shared/documents.js';

/** Errors of publishing are of the conventions: here it cannot fail. */
export const STATUS_KEYS = objectKeys(`
  video_status,
  processing_progress,
  uploading_phase{status,bytes_transferred,source_file_size,errors{code,message}},
  processing_phase{status,errors{code,message}},
  publishing_phase{status,publish_status,publish_time,errors{code,message}},
  copyright_check_status{status,matches_found}`);

export async function statusOf(video: Video, call: Call): Promise<object> {
  const live = await broadcastOf(video, call);
  const media = await mediaOf(video, call);
  const { data } = media;
  // A copy of a recording has no broadcast itself; its status is that of the original.
  const recorded = live ?? (await broadcastOf(media, call));
  const videoStatus = data.videoStatus ?? (recorded ? recordingStatus(recorded.data) : 'ready');
  // The file of a recording may have been removed after all phases were complete.
  const isRemoved = data.recordingRemovedMs !== undefined;
  const isProcessed = videoStatus === 'ready' || isRemoved;
  const uploaded = isRemoved || !['uploading', 'upload_failed', 'expired'].includes(videoStatus);
  const errors = data.phaseErrors ?? [];
  const published = live === undefined ? isPublished(video.data, call.nowMs) : isShownBroadcast(live.data, call.nowMs);
  const publishStatus = published ? 'published' : video.data.scheduledPublishMs === undefined ? 'draft' : 'scheduled';
  return {
    video_status: videoStatus,
    ...(videoStatus === 'processing' ? { processing_progress: data.processingProgress ?? 0 } : {}),
    uploading_phase: {
      status: uploaded ? 'complete' : videoStatus === 'uploading' ? 'in_progress' : 'error',
      bytes_transferred: data.bytesTransferred,
      source_file_size: data.sourceFileSize,
      ...(videoStatus === 'upload_failed' && errors.length > 0 ? { errors } : {}),
    },
    processing_phase: {
      status: isProcessed ? 'complete' : videoStatus === 'error' ? 'error' : uploaded ? 'in_progress' : 'not_started',
      // While processing is retried, shows why the previous attempt failed.
      ...(['error', 'processing'].includes(videoStatus) && errors.length > 0 ? { errors } : {}),
    },
    publishing_phase: {
      status: !isProcessed ? 'not_started' : publishStatus === 'published' ? 'complete' : 'not_started',
      ...(isProcessed && live === undefined
        ? {
            publish_status: publishStatus,
            publish_time: graphTime(publishTimeOf(video, published, call.nowMs), call),
          }
        : {}),
    },
    copyright_check_status: await copyrightCheckOf(video, call),
  };
}

/** A schedule that lies ahead of a published video was overtaken. */
function publishTimeOf({ createdMs, data }: Video, published: boolean, nowMs: number): number | undefined {
  const { publishedMs, scheduledPublishMs } = data;
  if (!published) return scheduledPublishMs;
  return (
    publishedMs ?? (scheduledPublishMs !== undefined && scheduledPublishMs <= nowMs ? scheduledPublishMs : createdMs)
  );
}

function recordingStatus(live: LiveVideoData): string {
  if (live.status === 'VOD') return 'ready';
  return /^SCHEDULED_(EXPIRED|CANCELED)$/.test(live.status) ? 'expired' : 'processing';
}

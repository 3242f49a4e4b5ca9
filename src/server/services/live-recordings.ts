/** The recorder of the streams that this process receives, and the upload of what it wrote. */

import type { VideoData } from '../../lifecycle/documents.js';
import type { Clock, Log, Store } from '../../ports/index.js';
import { Recorder } from '../../recording/recorder.js';
import { SegmentUploader } from '../../recording/segment-uploader.js';
import { recordedVideo } from '../../vod/videos/video-writer.js';
import type { Storage } from './storage.js';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LiveRecordings {
  readonly recorder: Recorder;
  /** Once no more packets arrive; the store must still be open. */
  close(): Promise<void>;
}

export async function openRecorder(
  { blobs, recordings: folder, segments, jobs, reserve }: Storage,
  { store, clock, log }: Deps,
): Promise<LiveRecordings> {
  const upload = async (liveVideoId: string, name: string) => {
    await segments.upload(liveVideoId, name);
    // Perhaps late: the video may have been made without it.
    if (recorder.isRecording(liveVideoId)) return;
    await makeAgain(store, jobs, liveVideoId, name).catch((error: unknown) => {
      log.warn({ liveVideoId, error }, 'a video could not be made again with a part that turned up');
    });
  };
  const uploader = new SegmentUploader({ segments, upload, blobs, log });
  const recorder: Recorder = new Recorder({
    folder,
    clock,
    log,
    inParts: blobs.kind !== 'folder',
    reserve,
    segments,
    uploader,
  });
  await recorder.freeSpace.start();
  uploader.start(recorder);
  return {
    recorder,
    close: async () => {
      await recorder.close();
      await uploader.close();
    },
  };
}

/** The video was made without this segment. */
async function makeAgain(store: Store, jobs: Storage['jobs'], liveVideoId: string, name: string): Promise<void> {
  const found = await recordedVideo(store, liveVideoId);
  const video = found && (await store.objects.get<VideoData>(found.videoId));
  if (video?.data.missingParts?.includes(name)) await jobs.add('recording', liveVideoId);
}

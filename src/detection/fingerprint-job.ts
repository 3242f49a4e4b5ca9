/** Makes the print of a video's sound, and compares it with all references. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { PRINT } from '../copyright/limits.js';
import { type Print, parsePrint } from '../copyright/prints.js';
import { matchesOf } from '../copyright/stream-matcher.js';
import { isCode } from '../lib/errors.js';
import type { VideoData } from '../lifecycle/documents.js';
import { type Blobs, type Clock, type Log, type Store, TOPIC } from '../ports/index.js';
import { videoPrefix } from '../store/blobs/blob-key.js';
import type { WorkFolder } from '../store/disk/work-folder.js';
import { FinalJobError, type Job, JobNotYetError, type JobWorker } from '../vod/jobs/job.js';
import { type Video, VideoGoneError, type VideoWriter } from '../vod/videos/video-writer.js';
import { DETECTOR } from './limits.js';
import { detailsOf, keepMatches } from './matches.js';
import { paced } from './paced.js';
import { witnessed } from './picture-witness.js';
import type { PrintPort } from './print-port.js';
import type { ReferenceIndex } from './reference-index.js';

export interface FingerprintDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly work: WorkFolder;
  readonly videos: VideoWriter;
  readonly prints: PrintPort;
  readonly references: ReferenceIndex;
}

const STILL_COMING: readonly unknown[] = ['uploading', 'upload_complete', 'processing'];

export class FingerprintWorker implements JobWorker {
  readonly #deps: FingerprintDeps;

  constructor(deps: FingerprintDeps) {
    this.#deps = deps;
  }

  async run(job: Job, signal: AbortSignal): Promise<void> {
    const { videos, prints, references, store, clock } = this.#deps;
    try {
      const video = await videos.load(job.data.subjectId);
      const { sourceKey, videoStatus } = video.data;
      if (typeof sourceKey !== 'string') {
        if (STILL_COMING.includes(videoStatus) || video.data.isRetried)
          throw new JobNotYetError('the video is not ready', DETECTOR.notReadyRetryMs);
        throw new FinalJobError('the video has no file');
      }
      if (!(await prints.isAvailable()))
        throw new JobNotYetError('ffmpeg has no chromaprint muxer', DETECTOR.unavailableRetryMs);
      const print = await this.#print(video, sourceKey, signal);
      await references.load();
      const index = references.current;
      const all = await paced(matchesOf(print, video.data.ownerId, index), signal);
      const found = all.slice(0, DETECTOR.matchesPerHour).map(detailsOf);
      const matches = await witnessed(this.#deps, sourceKey, found);
      signal.throwIfAborted();
      const isCompared = index.appliesTo(video.data.ownerId);
      await videos.change(video.id, (data) => checked(data, isCompared ? matches : undefined));
      await keepMatches(store.objects, { id: video.id, ownerId: video.data.ownerId }, matches, clock.wallMs());
      // It may be a reference itself.
      store.bus.publish(TOPIC.references, {});
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
    }
  }

  /** The stored print, or a new one. */
  async #print(video: Video, sourceKey: string, signal: AbortSignal): Promise<Print> {
    const { blobs, videos } = this.#deps;
    const { print: known } = video.data;
    if (known?.version === PRINT.version && known.sourceKey === sourceKey && (await blobs.stat(known.key))) {
      return parsePrint(await buffer(await blobs.read(known.key)));
    }
    const bytes = await this.#make(sourceKey, signal);
    signal.throwIfAborted();
    const key = `${videoPrefix(video.id)}print-${videos.ids.next()}.v${PRINT.version}`;
    await blobs.put(key, bytes);
    await videos.change(video.id, (data) => ({ ...data, print: { key, version: PRINT.version, sourceKey } }));
    if (known !== undefined) await blobs.delete(known.key);
    return parsePrint(bytes);
  }

  async #make(sourceKey: string, signal: AbortSignal): Promise<Uint8Array> {
    const { blobs, work, prints } = this.#deps;
    const local = blobs.localPath(sourceKey);
    return work.within(async (folder) => {
      const input = local ?? join(folder, 'source.mp4');
      if (local === undefined) await pipeline(await blobs.read(sourceKey), createWriteStream(input), { signal });
      try {
        return await prints.print({ input, demuxer: 'mov', signal });
      } catch (error) {
        // A file without sound, or with sound that is damaged, has an empty print.
        if (isCode(error, 'TOOL_FAILED')) return new Uint8Array();
        throw error;
      }
    });
  }

  /** The video stays; it counts as not checked. */
  async giveUp(job: Job): Promise<void> {
    await this.#deps.videos
      .change(job.data.subjectId, (data) => checked(data, undefined))
      .catch((error: unknown) => {
        if (!(error instanceof VideoGoneError)) throw error;
      });
  }
}

function checked(data: VideoData, matches: NonNullable<VideoData['copyrightCheck']>['matches'] | undefined): VideoData {
  const { copyrightCheck: _before, ...rest } = data;
  return matches === undefined ? rest : { ...rest, copyrightCheck: { status: 'complete', matches } };
}

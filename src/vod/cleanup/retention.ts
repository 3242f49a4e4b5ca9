/**
 * Removes the files of recordings whose retention has expired: the source and the pictures taken from it. The document
 * changes first, which releases the owner's quota; a crash after that leaves blobs that no document references, which the
 * sweep removes. Uploads, captions and the owner's pictures stay.
 */
import type { VideoData } from '../../lifecycle/documents.js';
import { type Blobs, type Clock, edgeOf, type Log, type Store, SYSTEM_EDGES, type Write } from '../../ports/index.js';
import { videoPrefix } from '../../store/blobs/blob-key.js';
import type { JobQueue } from '../jobs/job-queue.js';
import { retentionWrites, type Video, VideoGoneError, type VideoWriter } from '../videos/video-writer.js';

export interface RetentionDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly jobs: Pick<JobQueue, 'has'>;
  readonly videos: VideoWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** 0: recordings are kept forever. */
  readonly days: number;
}

const DAY_MS = 86_400_000;
const PAGE = 100;
/** Names given by `publishVideo`; pictures that the owner uploaded are in a folder of their own. */
const TAKEN_PICTURE = /^thumbnail-(\d+)\.jpg$/;

interface RecordedFile {
  readonly key: string;
  readonly size: number;
  readonly pictureId: string | undefined;
}

export class Retention {
  readonly #deps: RetentionDeps;
  #removedBytes = 0;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Since the start of this process. */
  get removedBytes(): number {
    return this.#removedBytes;
  }

  /** Lists a recording from before recordings were listed; `madeMs` is the time of its file. */
  async adopt(video: Video, madeMs: number): Promise<void> {
    const { store, days } = this.#deps;
    if (days === 0 || video.data.liveVideoId === undefined) return;
    if ((await store.objects.edgeEntry(SYSTEM_EDGES.keptRecordings, video.id)) !== undefined) return;
    await store.objects.commit(retentionWrites(video, Math.floor(madeMs)));
  }

  /** Resolves with the number of recordings removed. */
  async sweep(isClosed: () => boolean): Promise<number> {
    const { store, clock, days } = this.#deps;
    if (days === 0) return 0;
    const untilScore = clock.wallMs() - days * DAY_MS;
    let removed = 0;
    // With a cursor: recordings that cannot be removed now stay listed.
    for (let after: string | undefined; untilScore >= 0; ) {
      const from = after === undefined ? {} : { after };
      const page = await store.objects.page(SYSTEM_EDGES.keptRecordings, {
        limit: PAGE,
        ascending: true,
        untilScore,
        ...from,
      });
      for (const { member } of page.entries) {
        if (isClosed()) return removed;
        if (await this.#expire(member)) removed++;
      }
      after = page.entries.at(-1)?.cursor;
      if (!page.hasNext || after === undefined) break;
    }
    return removed;
  }

  async #expire(videoId: string): Promise<boolean> {
    const { store, jobs, blobs, log } = this.#deps;
    const video = await store.objects.get<VideoData>(videoId);
    const liveVideoId = video?.data.liveVideoId;
    if (video === undefined || liveVideoId === undefined || typeof video.data.sourceKey !== 'string') {
      await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.keptRecordings, member: videoId }]);
      return false;
    }
    // An interrupted job would create the file again.
    if (await jobs.has('recording', liveVideoId)) return false;
    const files = await this.#files(videoId, video.data.sourceKey);
    try {
      await this.#unlink(videoId, files);
    } catch (error) {
      if (!(error instanceof VideoGoneError)) throw error;
      return false;
    }
    for (const { key, size } of files) {
      await blobs.delete(key);
      this.#removedBytes += size;
    }
    log.info({ videoId }, 'recording file removed: retention expired');
    return true;
  }

  async #files(videoId: string, sourceKey: string): Promise<RecordedFile[]> {
    const prefix = videoPrefix(videoId);
    const files: RecordedFile[] = [];
    for await (const { key, size } of this.#deps.blobs.list(prefix)) {
      const pictureId = TAKEN_PICTURE.exec(key.slice(prefix.length))?.[1];
      if (key === sourceKey || pictureId !== undefined) files.push({ key, size, pictureId });
    }
    return files;
  }

  async #unlink(videoId: string, files: readonly RecordedFile[]): Promise<void> {
    const { videos } = this.#deps;
    const pictures = files.flatMap(({ pictureId }) => pictureId ?? []);
    const change = (data: VideoData): VideoData => {
      const { sourceKey: _key, sourceUrl: _url, sourceSize: _size, preferredThumbnailId, ...rest } = data;
      const isKept = preferredThumbnailId !== undefined && !pictures.includes(preferredThumbnailId);
      return {
        ...rest,
        ...(isKept ? { preferredThumbnailId } : {}),
        chargedBytes: 0,
        videoStatus: 'expired',
        recordingRemovedMs: videos.nowMs,
      };
    };
    await videos.change(videoId, change, () => [
      ...pictures.flatMap((id): Write[] => [
        { op: 'delete', id },
        { op: 'edgeRemove', ...edgeOf(videoId, 'thumbnails'), member: id },
      ]),
      { op: 'edgeRemove', ...SYSTEM_EDGES.keptRecordings, member: videoId },
    ]);
  }
}

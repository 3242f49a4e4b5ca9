/**
 * Removes what crashes, lost connections and deletions leave behind: expired upload sessions, unreferenced blobs, recordings
 * beyond their retention, files of dead processes; and adds missing recording jobs. Runs at the start and every hour, in one
 * process at a time. Blobs younger than a few hours may still be in use and are skipped.
 */
import type { VideoData } from '../../lifecycle/documents.js';
import { type Blobs, type Clock, edgeOf, LEASE, type Log, type Store, SYSTEM_EDGES } from '../../ports/index.js';
import type { Segments } from '../../recording/segments.js';
import type { WorkFolder } from '../../store/disk/work-folder.js';
import type { JobQueue } from '../jobs/job-queue.js';
import type { ResumableUploads } from '../uploads/resumable.js';
import { listParts, type UploadSessionData } from '../uploads/upload-session.js';
import { recordedVideo } from '../videos/video-writer.js';
import type { Retention } from './retention.js';

export interface SweeperDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly jobs: JobQueue;
  readonly resumable: ResumableUploads;
  readonly segments: Segments;
  readonly work: WorkFolder;
  readonly retention: Retention;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
}

export interface Swept {
  sessions: number;
  blobs: number;
  recordings: number;
  /** Videos whose recording was removed because its retention had expired. */
  expired: number;
  workFolders: number;
}

const EVERY_MS = 3_600_000;
/** An abandoned upload, which counts against its owner, ends this late at most. */
const SESSIONS_EVERY_MS = 300_000;
const LEASE_MS = 600_000;
/** Longer than the time from writing a blob to referencing it, and than any job runs without touching it. */
const YOUNG_MS = 6 * 3_600_000;
const PAGE = 100;

export class Sweeper {
  readonly #deps: SweeperDeps;
  #timers: readonly NodeJS.Timeout[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.#once(() => this.sweep()), EVERY_MS).unref(),
      setInterval(() => this.#once(() => this.endSessions()), SESSIONS_EVERY_MS).unref(),
    ];
    this.#once(() => this.sweep());
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#running;
  }

  /** One after the other: the lease of a sweep is this process's. */
  #once(sweep: () => Promise<unknown>): void {
    this.#running = this.#running.then(sweep).catch((error: unknown) => {
      this.#deps.log.warn({ error }, 'sweep failed; will retry in an hour');
    });
  }

  /** Ends uploads that were abandoned. Resolves with their number; 0 when another process is sweeping. */
  async endSessions(): Promise<number> {
    const { store, holder } = this.#deps;
    const lease = this.#closed ? undefined : await store.leases.acquire(LEASE.sweep, holder, LEASE_MS);
    if (lease === undefined) return 0;
    try {
      return await this.#sessions();
    } finally {
      await store.leases.release(lease);
    }
  }

  /** Resolves with counts of what was removed; zeros when another process is sweeping. */
  async sweep(): Promise<Swept> {
    const { store, holder, work, clock, log } = this.#deps;
    const swept: Swept = { sessions: 0, blobs: 0, recordings: 0, expired: 0, workFolders: 0 };
    swept.workFolders = await work.sweep(clock.wallMs());
    swept.recordings = await this.#recordings();
    const lease = await store.leases.acquire(LEASE.sweep, holder, LEASE_MS);
    if (lease === undefined) return swept;
    try {
      swept.sessions = await this.#sessions();
      swept.expired = await this.#deps.retention.sweep(() => this.#closed);
      for (const [prefix, isKnown] of this.#owners()) swept.blobs += await this.#blobs(prefix, isKnown);
    } finally {
      await store.leases.release(lease);
    }
    if (Object.values(swept).some((count) => count > 0)) log.info(swept, 'sweep finished');
    return swept;
  }

  async #sessions(): Promise<number> {
    const { store, clock, resumable } = this.#deps;
    let ended = 0;
    while (!this.#closed) {
      const page = await store.objects.page(SYSTEM_EDGES.uploadSessions, {
        limit: PAGE,
        ascending: true,
        untilScore: clock.wallMs(),
      });
      for (const { member } of page.entries) {
        const session = await store.objects.get<UploadSessionData>(member);
        if (session === undefined) {
          await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.uploadSessions, member }]);
        } else if (session.data.state === 'finished' && (await this.#deps.jobs.has('upload', session.data.videoId))) {
          // The bytes are still needed, however long the queue is.
          await store.objects.commit([
            { op: 'edgeAdd', ...SYSTEM_EDGES.uploadSessions, member, score: clock.wallMs() + EVERY_MS },
          ]);
        } else if (session.data.state === 'finished') {
          await resumable.forget(member, session.data.ownerId);
        } else {
          await resumable.end(session, 'expired', 'The upload was not finished in time.');
          ended++;
        }
      }
      if (!page.hasNext) break;
    }
    return ended;
  }

  /** Prefix → whether the document that the key's first folder names still references the blob. */
  #owners(): [string, (id: string, key: string, modifiedMs: number) => Promise<boolean>][] {
    const { store, jobs } = this.#deps;
    return [
      ['videos/', (id, key, modifiedMs) => this.#videoKnows(id, key, modifiedMs)],
      ['incoming/', (id) => jobs.has('upload', id)],
      ['parts/', async (id, key) => (await listParts(store.objects, id)).some((part) => part.key === key)],
      ['segments/', async (id) => (await this.#neededFor(id)) !== undefined],
    ];
  }

  async #blobs(
    prefix: string,
    isKnown: (id: string, key: string, modifiedMs: number) => Promise<boolean>,
  ): Promise<number> {
    const { blobs, clock } = this.#deps;
    let removed = 0;
    for await (const { key, modifiedMs } of blobs.list(prefix)) {
      if (this.#closed) break;
      if (clock.wallMs() - modifiedMs < YOUNG_MS) continue;
      const id = key.slice(prefix.length).split('/')[0] ?? '';
      if (await isKnown(id, key, modifiedMs)) continue;
      await blobs.delete(key);
      removed++;
    }
    return removed;
  }

  async #videoKnows(videoId: string, key: string, modifiedMs: number): Promise<boolean> {
    const { store } = this.#deps;
    const video = await store.objects.get<VideoData>(videoId);
    if (video === undefined) return false;
    if (key === video.data.sourceKey) {
      await this.#deps.retention.adopt(video, modifiedMs);
      return true;
    }
    const caption = /^videos\/\d+\/captions\/([a-z_]+)\.srt$/.exec(key)?.[1];
    if (caption !== undefined) {
      const { entries } = await store.objects.page(edgeOf(videoId, 'captions'), { limit: 500 });
      return entries.some(({ member }) => member.toLowerCase() === caption);
    }
    const thumbnailId = /(\d+)\.(?:jpg|png|gif|webp)$/.exec(key)?.[1];
    // Files that this version does not know may belong to a newer one.
    return thumbnailId === undefined ? !/\/source-/.test(key) : (await store.objects.get(thumbnailId)) !== undefined;
  }

  /** Each machine checks its own disk: adds missing jobs for ended broadcasts and removes segments that are not needed. */
  async #recordings(): Promise<number> {
    const { segments, store, jobs, log } = this.#deps;
    let removed = 0;
    for (const liveVideoId of segments.recorded()) {
      if (this.#closed) break;
      const need = await this.#neededFor(liveVideoId);
      if (need === undefined) {
        if ((await store.objects.get(liveVideoId)) !== undefined)
          log.info({ liveVideoId }, 'removing segments on this disk: their video is finished');
        await segments.remove(liveVideoId);
        removed++;
        continue;
      }
      if (need !== 'processing') continue;
      log.info({ liveVideoId }, 'recording without a job found; adding one');
      await jobs.add('recording', liveVideoId);
    }
    return removed;
  }

  /** `undefined`: the Video is gone, or was finished with all segments that were listed. */
  async #neededFor(liveVideoId: string): Promise<'processing' | 'later' | undefined> {
    const { store } = this.#deps;
    const recorded = await recordedVideo(store, liveVideoId);
    if (recorded === undefined) return undefined;
    const { live, videoId } = recorded;
    if (live !== undefined && live.status !== 'VOD') {
      const isOver = live.status === 'LIVE_STOPPED' || live.status === 'PROCESSING';
      return isOver && live.broadcastStartMs !== undefined ? 'processing' : 'later';
    }
    const video = (await store.objects.get<VideoData>(videoId))?.data;
    if (video?.videoStatus === 'expired') return undefined;
    if (video?.videoStatus === 'ready' && video.missingParts === undefined) return undefined;
    const isMade = live !== undefined || video?.videoStatus === 'ready' || video?.videoStatus === 'error';
    return isMade ? 'later' : 'processing';
  }
}

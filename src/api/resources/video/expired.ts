/**
 * Deletes videos with the expiration type `expire_and_delete`, at startup and every hour. They are invisible from their
 * expiration time on (`published.ts`), independent of this sweep. Concurrent sweeps of several processes are harmless.
 */
import type { VideoData } from '../../../lifecycle/documents.js';
import { type StoredObject, SYSTEM_EDGES, type Write } from '../../../ports/index.js';
import { auditWrite } from '../../access/audit.js';
import type { Services } from '../../graph/call.js';
import { removeVideo } from '../removal.js';

const SWEEP_INTERVAL_MS = 3_600_000;
const PAGE = 100;

/** Index writes to commit whenever the expiration of a video is set. */
export function expiryWrites(videoId: string, expiration: VideoData['expiration']): Write[] {
  if (expiration === undefined) return [];
  return expiration.type === 'expire_and_delete'
    ? [{ op: 'edgeAdd', ...SYSTEM_EDGES.expiringVideos, member: videoId, score: expiration.timeMs }]
    : [{ op: 'edgeRemove', ...SYSTEM_EDGES.expiringVideos, member: videoId }];
}

export class ExpiredVideos {
  readonly #services: Pick<Services, 'store' | 'uploads' | 'clock' | 'ids' | 'log'>;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(services: Pick<Services, 'store' | 'uploads' | 'clock' | 'ids' | 'log'>) {
    this.#services = services;
    this.#timer = setInterval(() => this.#once(), SWEEP_INTERVAL_MS).unref();
    this.#once();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #once(): void {
    this.sweep().catch((error: unknown) => {
      if (!this.#isClosed) this.#services.log.warn({ error }, 'cannot delete expired videos; retrying in an hour');
    });
  }

  /** Resolves with the number of deleted videos. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#services;
    let deleted = 0;
    while (!this.#isClosed) {
      const page = await store.objects.page(SYSTEM_EDGES.expiringVideos, {
        limit: PAGE,
        ascending: true,
        untilScore: clock.wallMs(),
      });
      for (const { member } of page.entries) {
        const video = await store.objects.get<VideoData>(member);
        if (video !== undefined && (await this.#isDue(video))) {
          await removeVideo({ services: this.#services }, video, (removed) => this.#lineOf(removed));
          deleted += 1;
        }
        await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.expiringVideos, member }]);
      }
      if (!page.hasNext) break;
    }
    return deleted;
  }

  #lineOf({ id, data: { ownerId } }: StoredObject<VideoData>): Write {
    return auditWrite(this.#services, { action: 'delete video: expired', who: 'server', target: id, owner: ownerId });
  }

  /** False for the Video of an existing broadcast, whose visibility is that of the broadcast. */
  async #isDue({ kind, data }: StoredObject<VideoData>): Promise<boolean> {
    const { store, clock } = this.#services;
    const { expiration, liveVideoId } = data;
    if (kind !== 'video' || expiration?.type !== 'expire_and_delete') return false;
    if (expiration.timeMs > clock.wallMs()) return false;
    return liveVideoId === undefined || (await store.objects.get(liveVideoId)) === undefined;
  }
}

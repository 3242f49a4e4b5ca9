/** From who watches a running broadcast to its insights: views, time watched, the audience. A preview counts for nothing. */
import type { LiveVideoData } from '../../../broadcast/documents.js';
import type { Log } from '../../../ports/index.js';
import { type InsightDeps, recordAudience, recordPeak, recordStretch, recordView } from './recorder.js';

const SAMPLE_MS = 5_000;

export class LiveAudience {
  readonly #deps: InsightDeps & { readonly log: Log };
  readonly #sampledAtMs = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: InsightDeps & { readonly log: Log }) {
    this.#deps = deps;
  }

  /** Somebody begins to watch. To be called back with the monotonic time at which they stopped. */
  watch(liveVideoId: string): (stoppedAtMs: number) => void {
    const beganAtMs = this.#deps.clock.monotonicMs();
    this.#quietly(async () => {
      const live = await this.#shown(liveVideoId);
      if (live?.status === 'LIVE') await recordView(this.#deps, live.videoId, { isLive: true });
    });
    return (stoppedAtMs) =>
      this.#quietly(async () => {
        const live = await this.#shown(liveVideoId);
        if (live?.broadcastStartMs === undefined) return;
        // Who came to the preview watches the broadcast from its start on.
        const shownMs = (live.endedMs ?? this.#deps.clock.wallMs()) - live.broadcastStartMs;
        const toMs = Math.min(stoppedAtMs - beganAtMs, shownMs);
        await recordStretch(this.#deps, live.videoId, { fromMs: 0, toMs, watchedBeforeMs: 0, isLive: true });
      });
  }

  /** How many watch now: told at every change, and again every few seconds. */
  count(liveVideoId: string, viewers: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const isDue = nowMs - (this.#sampledAtMs.get(liveVideoId) ?? 0) >= SAMPLE_MS;
    if (viewers === 0) this.#sampledAtMs.delete(liveVideoId);
    else if (isDue) this.#sampledAtMs.set(liveVideoId, nowMs);
    if (viewers === 0) return;
    this.#quietly(async () => {
      const live = await this.#shown(liveVideoId);
      if (live?.status !== 'LIVE') return;
      if (isDue) await recordAudience(this.#deps, live.videoId, viewers);
      else await recordPeak(this.#deps, live.videoId, viewers);
    });
  }

  /** Resolves when all is written that was told. */
  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #shown(liveVideoId: string): Promise<LiveVideoData | undefined> {
    return (await this.#deps.store.objects.get<LiveVideoData>(liveVideoId))?.data;
  }

  /** Insights are worth no trouble to those who watch. */
  #quietly(work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => this.#deps.log.debug({ error }, 'who watches could not be written down'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}

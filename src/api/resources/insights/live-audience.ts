/** Records insights of a running broadcast: views, watch time, audience. Previews are not counted. */
import type { LiveVideoData } from '../../../lifecycle/documents.js';
import type { Log } from '../../../ports/index.js';
import { type InsightDeps, recordAudience, recordPeak, recordStretch, recordView } from './recorder.js';

const SAMPLE_MS = 5_000;

export class LiveAudience {
  readonly #deps: InsightDeps & { readonly log: Log };
  readonly #sampledAtMs = new Map<string, number>();
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: InsightDeps & { readonly log: Log }) {
    this.#deps = deps;
  }

  /** Call when a viewer starts watching; call the result with the monotonic time at which the viewer stopped. */
  watch(liveVideoId: string): (stoppedAtMs: number) => void {
    const beganAtMs = this.#deps.clock.monotonicMs();
    this.#inBackground(async () => {
      const live = await this.#shown(liveVideoId);
      if (live?.status === 'LIVE') await recordView(this.#deps, live.videoId, { isLive: true });
    });
    return (stoppedAtMs) =>
      this.#inBackground(async () => {
        const live = await this.#shown(liveVideoId);
        if (live?.broadcastStartMs === undefined) return;
        // A viewer of the preview counts from the start of the broadcast.
        const shownMs = (live.endedMs ?? this.#deps.clock.wallMs()) - live.broadcastStartMs;
        const toMs = Math.min(stoppedAtMs - beganAtMs, shownMs);
        await recordStretch(this.#deps, live.videoId, { fromMs: 0, toMs, watchedBeforeMs: 0, isLive: true });
      });
  }

  /** Call with the current number of viewers at every change, and periodically. */
  count(liveVideoId: string, viewers: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const isDue = nowMs - (this.#sampledAtMs.get(liveVideoId) ?? 0) >= SAMPLE_MS;
    if (viewers === 0) this.#sampledAtMs.delete(liveVideoId);
    else if (isDue) this.#sampledAtMs.set(liveVideoId, nowMs);
    if (viewers === 0) return;
    this.#inBackground(async () => {
      const live = await this.#shown(liveVideoId);
      if (live?.status !== 'LIVE') return;
      if (isDue) await recordAudience(this.#deps, live.videoId, viewers);
      else await recordPeak(this.#deps, live.videoId, viewers);
    });
  }

  /** Resolves when all pending writes are done. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #shown(liveVideoId: string): Promise<LiveVideoData | undefined> {
    return (await this.#deps.store.objects.get<LiveVideoData>(liveVideoId))?.data;
  }

  /** Failures of insights never affect viewers. */
  #inBackground(work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => this.#deps.log.debug({ error }, 'cannot record live insights'))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

/**
 * Records observed values of each broadcast over time, for charts after its end. The process that receives the stream
 * samples it; the series is stored beside the live video and deleted 90 days after its last point. Memory holds only the
 * samples since the last save.
 */
import {
  type Clock,
  type Log,
  type StateMessage,
  type Store,
  StoreUnavailableError,
  type StreamHealth,
  TOPIC,
} from '../../ports/index.js';
import { type Series, withSamples } from '../view/health-series.js';
import { HISTORY_LIMITS } from '../view/limits.js';
import type { UnsavedSamples } from './distributed-history.js';
import { SampleBuffer } from './sample-buffer.js';
import { SeriesStore } from './series-store.js';

export interface HistoryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningStream {
  readonly liveVideoId: string;
  readonly health: StreamHealth;
}

interface SampledStream {
  /** Not yet saved, in order of time. */
  samples: SampleBuffer;
  /** Pending save of the samples before these. */
  saving: Promise<void> | undefined;
  saves: number;
  savedMs: number;
  seen: boolean;
}

export class HealthHistory {
  readonly #deps: HistoryDeps;
  readonly #series: SeriesStore;
  readonly #held = new Map<string, SampledStream>();
  readonly #saving = new Set<Promise<void>>();
  #sweptMs: number | undefined;
  #stop: () => void = () => undefined;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    this.#series = new SeriesStore(deps.store);
  }

  /** Samples the streams of this process until `close`; a process that receives none only notices deletions. */
  start(running?: () => Iterable<RunningStream>): void {
    const timer =
      running === undefined ? undefined : setInterval(() => this.tick(running()), HISTORY_LIMITS.sampleMs).unref();
    const unsubscribe = this.#deps.store.bus.subscribe(TOPIC.state, (message) => {
      const { liveVideoId, stream } = message as StateMessage;
      // A connected broadcast is not deleted; each publish announces it twice, to every process.
      if (stream !== 'connected') this.#run(this.#removeIfDeleted(liveVideoId));
    });
    this.#stop = () => {
      clearInterval(timer);
      unsubscribe();
    };
  }

  /** Takes one sample of each running stream; saves those that are due and those that have ended. */
  tick(running: Iterable<RunningStream>): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const held of this.#held.values()) held.seen = false;
    for (const { liveVideoId, health } of running) if (health.connected) this.#sample(liveVideoId, health, nowMs);
    // Spread over several ticks: saving all streams that started together in one tick would block the event loop.
    let turns = Math.ceil(this.#held.size / HISTORY_LIMITS.saveTicks);
    for (const [id, held] of this.#held) {
      const over = !held.seen;
      const isDue = !over && turns > 0 && nowMs - held.savedMs >= HISTORY_LIMITS.saveMs;
      if (isDue) turns--;
      if (over || isDue) this.#save(id, held, nowMs);
      if (over && held.samples.length === 0 && held.saving === undefined) this.#held.delete(id);
    }
    if (this.#sweptMs === undefined || nowMs - this.#sweptMs >= HISTORY_LIMITS.sweepMs) {
      this.#sweptMs = nowMs;
      this.#run(this.#series.deleteOld(this.#deps.clock.wallMs() - HISTORY_LIMITS.keptMs));
    }
  }

  async read(liveVideoId: string): Promise<Series> {
    const held = this.#held.get(liveVideoId);
    for (;;) {
      await held?.saving;
      const saves = held?.saves;
      const stored = await this.#series.read(liveVideoId);
      // Otherwise a save began during the read, and its samples are neither in `stored` nor in memory.
      if (held?.saves === saves) return held === undefined ? stored : withSamples(stored, held.samples.all());
    }
  }

  /** For the process that shows the charts; null when this process holds nothing of the broadcast. Never rejects. */
  async unsaved(liveVideoId: string): Promise<UnsavedSamples | null> {
    const held = this.#held.get(liveVideoId);
    await held?.saving;
    return held === undefined ? null : { saves: held.saves, samples: held.samples.all() };
  }

  async remove(liveVideoId: string): Promise<void> {
    const held = this.#held.get(liveVideoId);
    this.#held.delete(liveVideoId);
    await held?.saving;
    await this.#series.delete(liveVideoId);
  }

  /** Deletes the series of a deleted broadcast. */
  async #removeIfDeleted(liveVideoId: string): Promise<void> {
    if ((await this.#deps.store.objects.get(liveVideoId)) === undefined) await this.remove(liveVideoId);
  }

  /** Saves all remaining samples. */
  async close(): Promise<void> {
    this.#stop();
    const nowMs = this.#deps.clock.monotonicMs();
    await Promise.all(this.#saving);
    for (const [id, held] of this.#held) this.#save(id, held, nowMs);
    await Promise.all(this.#saving);
  }

  #sample(id: string, health: StreamHealth, nowMs: number): void {
    let held = this.#held.get(id);
    if (held === undefined) {
      held = { samples: new SampleBuffer(), saving: undefined, saves: 0, savedMs: nowMs, seen: true };
      this.#held.set(id, held);
    }
    held.seen = true;
    held.samples.push({
      atMs: this.#deps.clock.wallMs(),
      videoKbps: health.videoBitrateKbps,
      audioKbps: health.audioBitrateKbps,
      frameRate: health.frameRate,
      keyFrameIntervalMs: health.keyFrameIntervalMs,
      width: health.width,
      height: health.height,
      frameRateClass: health.frameRateClass,
    });
    // During a long outage of the store, the oldest samples are dropped.
    if (held.samples.length > HISTORY_LIMITS.points) held.samples.keepNewest(HISTORY_LIMITS.points);
  }

  /** Appends to the stored series, which may come from an earlier connection or another machine. */
  #save(id: string, held: SampledStream, nowMs: number): void {
    if (held.samples.length === 0 || held.saving !== undefined) return;
    const { samples } = held;
    held.samples = new SampleBuffer();
    held.savedMs = nowMs;
    held.saves++;
    const work = async (): Promise<void> => {
      try {
        await this.#series.append(id, samples.all(), this.#deps.clock.wallMs());
      } catch (error) {
        for (const sample of held.samples.all()) samples.push(sample);
        held.samples = samples;
        throw error;
      } finally {
        held.saving = undefined;
      }
    };
    held.saving = this.#run(work());
  }

  /** Failures never affect a broadcast: they are logged, and the next save tries again. */
  #run(work: Promise<void>): Promise<void> {
    const done = work.catch((error: unknown) => {
      if (error instanceof StoreUnavailableError)
        this.#deps.log.debug({ error }, 'could not save observed values: the store is unavailable');
      else this.#deps.log.error({ error }, 'saving observed values failed');
    });
    this.#saving.add(done);
    void done.finally(() => this.#saving.delete(done));
    return done;
  }
}

/**
 * Keeps what was observed of each broadcast, so that one that ended yesterday can still be read as a picture. The process
 * that holds the stream samples it; the series is an object beside the live video and goes 90 days after its last point.
 * Memory holds the samples since the last save only: hours of them, for hundreds of streams, are the store's.
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

interface Held {
  /** Not yet handed to the store, in the order of time. */
  samples: SampleBuffer;
  /** The samples before those are on their way to the store. */
  saving: Promise<void> | undefined;
  saves: number;
  savedMs: number;
  seen: boolean;
}

export class HealthHistory {
  readonly #deps: HistoryDeps;
  readonly #series: SeriesStore;
  readonly #held = new Map<string, Held>();
  readonly #saving = new Set<Promise<void>>();
  #sweptMs: number | undefined;
  #stop: () => void = () => undefined;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    this.#series = new SeriesStore(deps.store);
  }

  /** Samples the streams that this process holds until `close`. */
  start(running: () => Iterable<RunningStream>): void {
    const timer = setInterval(() => this.tick(running()), HISTORY_LIMITS.sampleMs).unref();
    const unsubscribe = this.#deps.store.bus.subscribe(TOPIC.state, (message) => {
      this.#run(this.#forgetIfGone((message as StateMessage).liveVideoId));
    });
    this.#stop = () => {
      clearInterval(timer);
      unsubscribe();
    };
  }

  /** One sample of each; streams that are no longer among them are saved. */
  tick(running: Iterable<RunningStream>): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const held of this.#held.values()) held.seen = false;
    for (const { liveVideoId, health } of running) if (health.connected) this.#sample(liveVideoId, health, nowMs);
    // Streams that began together would be saved together for ever, each time with a pause for everybody.
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
      // Else samples went to the store while it was read, and are in neither.
      if (held?.saves === saves) return held === undefined ? stored : withSamples(stored, held.samples.all());
    }
  }

  async remove(liveVideoId: string): Promise<void> {
    const held = this.#held.get(liveVideoId);
    this.#held.delete(liveVideoId);
    await held?.saving;
    await this.#series.delete(liveVideoId);
  }

  /** What was observed of a broadcast goes with it. */
  async #forgetIfGone(liveVideoId: string): Promise<void> {
    if ((await this.#deps.store.objects.get(liveVideoId)) === undefined) await this.remove(liveVideoId);
  }

  /** Writes what is not yet stored. */
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
    // The store is away for long: the oldest go.
    if (held.samples.length > HISTORY_LIMITS.points) held.samples.keepNewest(HISTORY_LIMITS.points);
  }

  /** What an earlier connection, or another machine, has left is in the store and goes before these samples. */
  #save(id: string, held: Held, nowMs: number): void {
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

  /** A picture of the past is not worth an error: what fails is told in the log and tried with the next save. */
  #run(work: Promise<void>): Promise<void> {
    const done = work.catch((error: unknown) => {
      if (error instanceof StoreUnavailableError)
        this.#deps.log.debug({ error }, 'observed values could not be kept now');
      else this.#deps.log.error({ error }, 'keeping observed values failed');
    });
    this.#saving.add(done);
    void done.finally(() => this.#saving.delete(done));
    return done;
  }
}

/**
 * Keeps what was observed of each broadcast, so that one that ended yesterday can still be read as a picture. The process
 * that holds the stream samples it; the series is an object beside the live video and goes 90 days after its last point.
 */
import {
  type Clock,
  type Log,
  type StateMessage,
  type Store,
  StoreUnavailableError,
  type StreamHealth,
  TOPIC,
} from '../ports.js';
import { EMPTY_SERIES, type Series, withSample } from './health-series.js';
import { HISTORY_LIMITS } from './limits.js';

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
  series: Series;
  savedMs: number;
  /** The series of an earlier connection is being read from the store; samples wait in it. */
  loading: Promise<void> | undefined;
  seen: boolean;
  dirty: boolean;
}

const LIST = { owner: 'system', edge: 'health_series' } as const;
const SWEEP_BATCH = 200;

const objectId = (liveVideoId: string): string => `series-${liveVideoId}`;

export class HealthHistory {
  readonly #deps: HistoryDeps;
  readonly #held = new Map<string, Held>();
  readonly #saving = new Set<Promise<void>>();
  #sweptMs: number | undefined;
  #stop: () => void = () => undefined;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
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
    for (const [id, held] of this.#held) {
      const over = !held.seen;
      if (held.dirty && held.loading === undefined && (over || nowMs - held.savedMs >= HISTORY_LIMITS.saveMs)) {
        this.#save(id, held, nowMs);
      }
      if (over && !held.dirty) this.#held.delete(id);
    }
    if (this.#sweptMs === undefined || nowMs - this.#sweptMs >= HISTORY_LIMITS.sweepMs) {
      this.#sweptMs = nowMs;
      this.#run(this.#sweep());
    }
  }

  async read(liveVideoId: string): Promise<Series> {
    const held = this.#held.get(liveVideoId);
    await held?.loading;
    return held?.series ?? (await this.#load(liveVideoId));
  }

  async remove(liveVideoId: string): Promise<void> {
    this.#held.delete(liveVideoId);
    await this.#delete(liveVideoId);
  }

  /** What was observed of a broadcast goes with it. */
  async #forgetIfGone(liveVideoId: string): Promise<void> {
    if ((await this.#deps.store.get(liveVideoId)) === undefined) await this.remove(liveVideoId);
  }

  /** Writes what is not yet stored. */
  async close(): Promise<void> {
    this.#stop();
    const nowMs = this.#deps.clock.monotonicMs();
    await Promise.all([...this.#held.values()].map((held) => held.loading));
    for (const [id, held] of this.#held) if (held.dirty) this.#save(id, held, nowMs);
    await Promise.all(this.#saving);
  }

  #sample(id: string, health: StreamHealth, nowMs: number): void {
    let held = this.#held.get(id);
    if (held === undefined) {
      held = { series: EMPTY_SERIES, savedMs: nowMs, loading: undefined, seen: true, dirty: false };
      this.#held.set(id, held);
      this.#resume(id, held);
    }
    held.seen = true;
    held.dirty = true;
    held.series = withSample(held.series, {
      atMs: this.#deps.clock.wallMs(),
      videoKbps: health.videoBitrateKbps,
      audioKbps: health.audioBitrateKbps,
      frameRate: health.frameRate,
      keyFrameIntervalMs: health.keyFrameIntervalMs,
      width: health.width,
      height: health.height,
      frameRateClass: health.frameRateClass,
    });
  }

  /** What an earlier connection, or another machine, has left goes before the first samples of this one. */
  #resume(id: string, held: Held): void {
    const load = async (): Promise<void> => {
      const earlier = await this.#load(id);
      if (earlier.points.length === 0) return;
      const { points } = held.series;
      held.series = { ...earlier, filled: earlier.step, points: [...earlier.points, ...points] };
    };
    held.loading = this.#run(load()).finally(() => {
      held.loading = undefined;
    });
  }

  #save(id: string, held: Held, nowMs: number): void {
    held.savedMs = nowMs;
    held.dirty = false;
    this.#run(this.#write(id, held.series));
  }

  async #write(id: string, series: Series): Promise<void> {
    const nowMs = this.#deps.clock.wallMs();
    const object = { id: objectId(id), kind: 'series', createdMs: nowMs, updatedMs: nowMs, data: series } as const;
    await this.#deps.store.commit([
      { op: 'put', object },
      { op: 'edgeAdd', ...LIST, member: id, score: nowMs },
    ]);
  }

  async #load(id: string): Promise<Series> {
    const found = await this.#deps.store.get<Series>(objectId(id));
    return found?.kind === 'series' ? found.data : EMPTY_SERIES;
  }

  async #delete(id: string): Promise<void> {
    await this.#deps.store.commit([
      { op: 'delete', id: objectId(id) },
      { op: 'edgeRemove', ...LIST, member: id },
    ]);
  }

  async #sweep(): Promise<void> {
    const untilScore = this.#deps.clock.wallMs() - HISTORY_LIMITS.keptMs;
    const old = await this.#deps.store.page(LIST, { limit: SWEEP_BATCH, ascending: true, untilScore });
    for (const { member } of old.entries) await this.#delete(member);
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

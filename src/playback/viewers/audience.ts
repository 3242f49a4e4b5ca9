/** The viewers of one broadcast, and the relay that runs while there are any. */
import type { Clock, Log } from '../../ports/index.js';
import type { Supervisor } from '../child/supervisor.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import type { RelayRequest, RelaySource, RunningRelay } from '../relay/relay-source.js';
import { SEAM_MS } from '../relay/timeline.js';
import type { Viewer } from './viewer.js';

export interface AudienceDeps {
  readonly relays: RelaySource;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly log: Log;
}

export class Audience {
  readonly liveVideoId: string;
  readonly viewers = new Set<Viewer>();
  readonly #deps: AudienceDeps;
  #relay: RunningRelay | undefined;
  /** Number of the current relay; callbacks of earlier relays are ignored. */
  #current = 0;
  #relays = 0;
  #names = 0;
  #starting: Promise<boolean> | undefined;
  #startMs = 0;
  #emptySinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #joining = false;
  #closed = false;

  constructor(liveVideoId: string, deps: AudienceDeps) {
    this.liveVideoId = liveVideoId;
    this.#deps = deps;
  }

  get relaying(): boolean {
    return this.#relay !== undefined;
  }

  /** Starts the relay if the stream runs. Concurrent callers share one attempt. */
  start(): Promise<boolean> {
    if (this.#relay !== undefined) return Promise.resolve(true);
    this.#starting ??= this.#open().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #open(): Promise<boolean> {
    const number = this.#nextNumber();
    const relay = await this.#deps.relays.open(this.#request(number));
    if (relay === undefined) return this.#relay !== undefined;
    this.#adopt(relay, number);
    return !this.#closed;
  }

  #nextNumber(): number {
    this.#relays++;
    return this.#relays;
  }

  #adopt(relay: RunningRelay, number: number): void {
    const old = this.#relay;
    this.#relay = relay;
    this.#current = number;
    old?.close();
    if (this.#closed) relay.close();
    else void this.#join();
  }

  #request(number: number): RelayRequest {
    return {
      liveVideoId: this.liveVideoId,
      startMs: this.#startMs,
      onLinkLost: () => this.#joinSoon(),
      onClosed: (lastMs) => {
        this.#startMs = Math.max(this.#startMs, lastMs + SEAM_MS);
        if (this.#current === number) this.#relay = undefined;
      },
    };
  }

  add(viewer: Viewer): void {
    this.viewers.add(viewer);
    this.#emptySinceMs = undefined;
    void this.#join();
  }

  remove(viewer: Viewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size === 0) this.#emptySinceMs = this.#deps.clock.monotonicMs();
  }

  /** A viewer or the relay has lost its connection to the child. */
  rejoin(): void {
    this.#joinSoon();
  }

  #joinSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#join();
    }, PLAYBACK_LIMITS.retryMs);
  }

  /** Connects the relay and all viewers to the running child; starts one if there is none. Idempotent. */
  async #join(): Promise<void> {
    if (this.#joining || this.#closed) return;
    this.#joining = true;
    const endpoint = await this.#deps.supervisor.ready();
    this.#joining = false;
    const relay = this.#relay;
    if (endpoint === undefined || relay === undefined || this.#closed) return;
    relay.connect(endpoint, () => {
      this.#names++;
      return `${this.liveVideoId}-${this.#names}`;
    });
    for (const viewer of this.viewers) viewer.watch(endpoint, relay.streamName);
  }

  /** True when the audience has been empty long enough to be removed. */
  tick(nowMs: number): boolean {
    for (const viewer of [...this.viewers]) viewer.tick(nowMs);
    return this.#emptySinceMs !== undefined && nowMs - this.#emptySinceMs >= PLAYBACK_LIMITS.lingerMs;
  }

  /** The broadcast has ended, or its last viewer has left. */
  close(cause: string): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#relay?.close();
    for (const viewer of [...this.viewers]) viewer.end(cause);
  }
}

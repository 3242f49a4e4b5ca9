/** Who watches one broadcast, and the relay that runs for as long as somebody does. */
import type { Clock, Log } from '../ports.js';
import type { MediaTap, RunningStreams } from './deps.js';
import { PLAYBACK_LIMITS } from './limits.js';
import { Relay } from './relay.js';
import type { Supervisor } from './supervisor.js';
import { Timeline } from './timeline.js';
import type { Viewer } from './viewer.js';

export interface AudienceDeps {
  readonly streams: RunningStreams;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly log: Log;
}

export class Audience {
  readonly liveVideoId: string;
  readonly viewers = new Set<Viewer>();
  readonly #deps: AudienceDeps;
  readonly #timeline = new Timeline();
  #relay: Relay | undefined;
  #relays = 0;
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

  /** Has the stream relayed, if it runs here. */
  start(): boolean {
    if (this.#relay !== undefined) return true;
    const relay = this.#newRelay();
    if (this.#deps.streams.attach(this.liveVideoId, relay)) {
      this.#relay = relay;
      return true;
    }
    relay.close();
    return false;
  }

  /** The stream begins (again) while somebody watches. */
  open(): MediaTap {
    this.#relay?.close();
    this.#relay = this.#newRelay();
    void this.#join();
    return this.#relay;
  }

  #newRelay(): Relay {
    const { liveVideoId } = this;
    this.#relays++;
    this.#timeline.restart();
    const relay: Relay = new Relay({
      streamName: `${liveVideoId}-${this.#relays}`,
      timeline: this.#timeline,
      log: this.#deps.log,
      onLinkLost: () => this.#joinSoon(),
      onClosed: () => {
        this.#deps.streams.detach(liveVideoId, relay);
        if (this.#relay === relay) this.#relay = undefined;
      },
    });
    return relay;
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

  /** A viewer, or the relay, has lost the child. */
  rejoin(): void {
    this.#joinSoon();
  }

  #joinSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#join();
    }, PLAYBACK_LIMITS.retryMs);
  }

  /** Brings the relay and all viewers to the child that runs, and starts one when none does. Asked again, it changes nothing. */
  async #join(): Promise<void> {
    if (this.#joining || this.#closed) return;
    this.#joining = true;
    const endpoint = await this.#deps.supervisor.ready();
    this.#joining = false;
    const relay = this.#relay;
    if (endpoint === undefined || relay === undefined || this.#closed) return;
    relay.connect(endpoint);
    for (const viewer of this.viewers) viewer.watch(endpoint, relay.streamName);
  }

  /** True when nobody has watched for a while: the audience can be forgotten. */
  tick(nowMs: number): boolean {
    for (const viewer of [...this.viewers]) viewer.tick(nowMs);
    return this.#emptySinceMs !== undefined && nowMs - this.#emptySinceMs >= PLAYBACK_LIMITS.lingerMs;
  }

  /** The broadcast is over, or nobody watches. */
  close(cause: string): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#relay?.close();
    for (const viewer of [...this.viewers]) viewer.end(cause);
  }
}

/** The audiences of this process: the viewers of each stream, and the relay that runs while there are any. */
import type { Clock, Log } from '../../ports/index.js';
import type { Supervisor } from '../child/supervisor.js';
import type { ViewerInsights } from '../context/deps.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import { qualityOf } from '../context/quality.js';
import type { RelayHome, RelaySource, RunningRelay } from '../relay/relay.js';
import { SEAM_MS } from '../relay/relay.js';
import type { ViewerSink } from './sinks.js';
import { Viewer, type ViewerHome } from './viewer.js';

interface AudienceDeps {
  readonly all: Pick<Audiences, 'left'>;
  readonly relays: RelaySource;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly log: Log;
}

/** The viewers of one stream (`quality.ts`), and the relay that runs while there are any. */
class Audience implements ViewerHome, RelayHome {
  readonly liveVideoId: string;
  readonly viewers = new Set<Viewer>();
  readonly #deps: AudienceDeps;
  #relay: RunningRelay | undefined;
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
    const { liveVideoId } = this;
    const relay = await this.#deps.relays.open({ liveVideoId, startMs: this.#startMs, home: this });
    if (relay === undefined) return this.#relay !== undefined;
    const old = this.#relay;
    this.#relay = relay;
    old?.close();
    if (this.#closed) relay.close();
    else void this.#join();
    return !this.#closed;
  }

  /** A relay has ended: the current one, or one that it replaced. */
  closed(relay: RunningRelay, lastMs: number): void {
    this.#startMs = Math.max(this.#startMs, lastMs + SEAM_MS);
    if (this.#relay === relay) this.#relay = undefined;
  }

  add(viewer: Viewer): void {
    this.viewers.add(viewer);
    this.#emptySinceMs = undefined;
    void this.#join();
  }

  remove(viewer: Viewer, cause: string): void {
    this.viewers.delete(viewer);
    if (this.viewers.size === 0) this.#emptySinceMs = this.#deps.clock.monotonicMs();
    this.#deps.all.left(viewer, cause);
  }

  /** A viewer or the relay has lost its connection to the child. */
  reconnect(): void {
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

export type Joined = { readonly viewer: Viewer } | { readonly refused: 'not-running' | 'full' };

export interface AudiencesDeps extends Omit<AudienceDeps, 'all'> {
  readonly insights?: ViewerInsights | undefined;
}

export interface ViewerCount {
  readonly now: number;
  /** The maximum since the stream was first watched in this process. */
  readonly peak: number;
}

const PEAKS_KEPT = 10_000;

export class Audiences {
  readonly #deps: AudiencesDeps;
  readonly #audiences = new Map<string, Audience>();
  /** HLS players by broadcast and video track. They connect anew for each segment, so the proxy counts them. */
  readonly #others = new Map<string, number>();
  readonly #reported = new Map<string, number>();
  /** Called when the viewer leaves. */
  readonly #stops = new Map<Viewer, (stoppedAtMs: number) => void>();
  readonly #peaks = new Map<string, number>();
  /** The process that receives a stream may learn of its end later, and would relay it to a new viewer until then. */
  readonly #ended = new Set<string>();
  /** Runs while there is an audience or a count to report. */
  #timer: NodeJS.Timeout | undefined;
  #reportedAtMs = 0;
  #viewers = 0;
  #closed = false;

  constructor(deps: AudiencesDeps) {
    this.#deps = deps;
  }

  #wake(): void {
    if (!this.#closed) this.#timer ??= setInterval(() => this.#tick(), PLAYBACK_LIMITS.tickMs).unref();
  }

  /** By broadcast and video track (`quality.ts`). `counts` false: an internal consumer such as the HLS converter, not a viewer. */
  async join(streamId: string, sink: ViewerSink, options: { readonly counts?: boolean } = {}): Promise<Joined> {
    if (this.#ended.has(qualityOf(streamId).liveVideoId)) return { refused: 'not-running' };
    let audience = this.#audiences.get(streamId);
    if (this.#isFull || (audience === undefined && this.#audiences.size >= PLAYBACK_LIMITS.streams)) {
      return { refused: 'full' };
    }
    audience ??= new Audience(streamId, { ...this.#deps, all: this });
    this.#audiences.set(streamId, audience);
    this.#wake();
    // The audience may still wait for an encoder that just disconnected; a new viewer is refused right away.
    const runs = await audience.start();
    if (!runs || this.#isFull || this.#audiences.get(streamId) !== audience) {
      if (audience.viewers.size === 0 && !audience.relaying) this.#forget(streamId, 'nothing to watch');
      return { refused: runs && this.#isFull ? 'full' : 'not-running' };
    }
    return { viewer: this.#newViewer(audience, sink, options.counts ?? true) };
  }

  get #isFull(): boolean {
    return this.#closed || this.#viewers >= PLAYBACK_LIMITS.viewers;
  }

  #newViewer(audience: Audience, sink: ViewerSink, counts: boolean): Viewer {
    const { liveVideoId } = qualityOf(audience.liveVideoId);
    const viewer = new Viewer(liveVideoId, sink, audience, this.#deps.clock.monotonicMs(), counts);
    if (counts) this.#stops.set(viewer, this.watched(liveVideoId));
    this.#viewers++;
    audience.add(viewer);
    this.#report(liveVideoId);
    return viewer;
  }

  /** A viewer has left its audience. */
  left(viewer: Viewer, cause: string): void {
    this.#viewers--;
    this.#stops.get(viewer)?.(this.#deps.clock.monotonicMs());
    this.#stops.delete(viewer);
    this.#deps.log.debug({ liveVideoId: viewer.liveVideoId, cause }, 'viewer left');
    this.#report(viewer.liveVideoId);
  }

  /** A stream starts (again). */
  begun(liveVideoId: string): void {
    const audience = this.#audiences.get(liveVideoId);
    if (audience !== undefined && audience.viewers.size > 0) void audience.start();
    for (const other of this.#othersOf(liveVideoId)) void other.start();
  }

  /** Audiences of the video tracks beside the first, with viewers. */
  #othersOf(liveVideoId: string): readonly Audience[] {
    return [...this.#audiences.values()].filter((each) => {
      const quality = qualityOf(each.liveVideoId);
      return quality.track !== 0 && quality.liveVideoId === liveVideoId && each.viewers.size > 0;
    });
  }

  /** A viewer starts watching. Call the returned function with the time at which it stops. */
  watched(liveVideoId: string): (stoppedAtMs: number) => void {
    return this.#deps.insights?.watch(liveVideoId) ?? (() => undefined);
  }

  setOthers(streamId: string, count: number): void {
    if (count === 0) this.#others.delete(streamId);
    else this.#others.set(streamId, count);
    this.#report(qualityOf(streamId).liveVideoId);
  }

  count(liveVideoId: string): ViewerCount {
    let now = 0;
    for (const [streamId, players] of this.#others) if (qualityOf(streamId).liveVideoId === liveVideoId) now += players;
    for (const viewer of this.#audiences.get(liveVideoId)?.viewers ?? []) if (viewer.counts) now++;
    for (const other of this.#othersOf(liveVideoId)) for (const { counts } of other.viewers) if (counts) now++;
    return { now, peak: Math.max(now, this.#peaks.get(liveVideoId) ?? 0) };
  }

  /** Number of viewers of all broadcasts. HLS players count, the internal converters that feed them do not. */
  get watching(): number {
    let now = 0;
    for (const count of this.#others.values()) now += count;
    for (const audience of this.#audiences.values()) for (const { counts } of audience.viewers) if (counts) now++;
    return now;
  }

  /** Broadcasts that are currently relayed to the child. */
  get relayed(): readonly string[] {
    return [...this.#audiences.values()].filter((audience) => audience.relaying).map((each) => each.liveVideoId);
  }

  /** The broadcast has ended: disconnects its viewers, refuses new ones and discards its counts. */
  ended(liveVideoId: string): void {
    const [oldest] = this.#ended;
    if (oldest !== undefined && this.#ended.size >= PLAYBACK_LIMITS.endedKept) this.#ended.delete(oldest);
    this.#ended.add(liveVideoId);
    for (const other of this.#othersOf(liveVideoId)) this.#forget(other.liveVideoId, 'the broadcast has ended');
    this.#forget(liveVideoId, 'the broadcast has ended');
    this.#peaks.delete(liveVideoId);
  }

  #forget(liveVideoId: string, cause: string): void {
    const audience = this.#audiences.get(liveVideoId);
    this.#audiences.delete(liveVideoId);
    audience?.close(cause);
  }

  #report(liveVideoId: string, again = false): void {
    const { now, peak } = this.count(liveVideoId);
    if (!again && now === (this.#reported.get(liveVideoId) ?? 0)) return;
    if (now === 0) this.#reported.delete(liveVideoId);
    else {
      this.#reported.set(liveVideoId, now);
      this.#wake();
    }
    if (this.#peaks.size < PEAKS_KEPT || this.#peaks.has(liveVideoId)) this.#peaks.set(liveVideoId, peak);
    this.#deps.insights?.count(liveVideoId, now);
  }

  #tick(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [id, audience] of [...this.#audiences]) if (audience.tick(nowMs)) this.#forget(id, 'no viewers');
    if (this.#audiences.size === 0 && this.#reported.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (nowMs - this.#reportedAtMs < PLAYBACK_LIMITS.reportMs) return;
    this.#reportedAtMs = nowMs;
    for (const id of [...this.#reported.keys()]) this.#report(id, true);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const id of [...this.#audiences.keys()]) this.#forget(id, 'server shutdown');
  }
}

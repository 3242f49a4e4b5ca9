/** The publications of this process, and control messages between processes about those that others hold. */

import type { StreamJudge } from '../judge/judge.js';
import {
  type ForwardNotice,
  type JournalEntry,
  type Lease,
  type Log,
  type MediaTap,
  type NotedForward,
  StoreUnavailableError,
  type TappedStream,
  TOPIC,
} from '../ports/index.js';
import { FORWARD_CODES, SERVICE_CODES } from '../rules/registry/service-codes.js';
import { lastReportedMs, missingMs } from './checkpoints.js';
import type { ReceivingDeps } from './deps.js';
import { Hold } from './hold.js';
import type { JudgeFactory } from './judge-factory.js';
import type { Presence } from './presence.js';
import { Publication } from './publication.js';
import {
  copyrightViolation,
  type Interruption,
  RETUNED,
  serverStopped,
  TAKEN_OVER,
} from './publisher/close-reasons.js';
import type { AdmittedClient, DisconnectKind, EncoderChannel } from './publisher/publisher.js';
import type { LiveVideo, Moved, StateWriter } from './state-writer.js';
import { type ControlMessage, StreamsElsewhere } from './streams-elsewhere.js';

export class Publications {
  readonly #deps: ReceivingDeps;
  readonly #states: StateWriter;
  readonly #judges: JudgeFactory;
  readonly #presence: Presence;
  readonly #elsewhere: StreamsElsewhere;
  readonly #running = new Map<string, Publication>();
  readonly #leaving = new Map<string, Promise<void>>();
  /** Streams that other processes were asked to release, and whether they disconnected their publisher for it. */
  readonly #asked = new Map<string, boolean>();
  readonly #unsubscribe: () => void;

  constructor(deps: ReceivingDeps, states: StateWriter, judges: JudgeFactory, presence: Presence) {
    this.#deps = deps;
    this.#presence = presence;
    this.#states = states;
    this.#judges = judges;
    this.#elsewhere = new StreamsElsewhere(deps, states, judges);
    this.#unsubscribe = deps.store.bus.subscribe(TOPIC.control, (message) => this.#obey(message as ControlMessage));
  }

  get(liveVideoId: string): Publication | undefined {
    return this.#running.get(liveVideoId);
  }

  all(): Iterable<Publication> {
    return this.#running.values();
  }

  get size(): number {
    return this.#running.size;
  }

  /** True while its publisher is connected here or being disconnected. */
  holds(liveVideoId: string): boolean {
    return this.#running.has(liveVideoId) || this.#leaving.has(liveVideoId);
  }

  /** Starts the session of an admitted publisher. Resolves when the store lists the broadcast as connected. */
  async start(
    live: LiveVideo,
    lease: Lease,
    channel: EncoderChannel,
    client: AdmittedClient & { readonly tookOver: boolean },
    log: Log,
  ): Promise<Publication> {
    // Still stored as connected, so the previous holder died without writing a transition.
    const isLeft = !client.tookOver && live.data.stream === 'connected';
    const stopped = isLeft ? await this.#serverStopped(live) : undefined;
    const judge = await this.#judge(live, lease, client.secure);
    const shared = { deps: this.#deps, states: this.#states, presence: this.#presence };
    const stream = this.#tapped(live, client);
    const publication = new Publication({ live, lease, judge, client, stream, channel, ...shared, log });
    this.#running.set(live.id, publication);
    if (client.tookOver)
      await publication.begin({ code: SERVICE_CODES.streamTakenOver, observed: 'a second connection with the key' });
    else await publication.begin(stopped && { code: SERVICE_CODES.streamInterrupted, ...stopped });
    return publication;
  }

  /** By its ID: what a tap finds late concerns the publication that runs then. */
  #tapped({ id: liveVideoId, data }: LiveVideo, { hasStorage, passed = [] }: AdmittedClient): TappedStream {
    return {
      liveVideoId,
      ownerId: data.ownerId,
      isResumed: data.status === 'LIVE',
      passed,
      hasStorage,
      health: () => this.get(liveVideoId)?.health(),
      note: (code, observed, match) => this.get(liveVideoId)?.note(code, observed, match),
      stopForCopyright: async (pageName) => {
        const reason = copyrightViolation(pageName);
        const input = { type: 'stop', wallMs: this.#deps.clock.wallMs(), reason } as const;
        await this.applyEffects(await this.#states.move(liveVideoId, input));
      },
    };
  }

  /** A finding of a forward of this broadcast. */
  noteForward(liveVideoId: string, { what, observed }: ForwardNotice, { id, name }: NotedForward): void {
    this.get(liveVideoId)?.note(FORWARD_CODES[what], `${name}: ${observed}`, undefined, id);
  }

  /** Without a report, or without the store, it is not known how much is missing; the publish goes on. */
  async #serverStopped(live: LiveVideo): Promise<Interruption> {
    const reportedMs = await lastReportedMs(this.#deps.store, live.id).catch(() => undefined);
    return serverStopped(missingMs(live, reportedMs, this.#deps.clock.wallMs()));
  }

  /** Waits for a store that is away, as admission does. @throws StoreUnavailableError, with the lease released */
  async #judge(live: LiveVideo, lease: Lease, secure: boolean): Promise<StreamJudge> {
    const hold = new Hold(this.#deps, () => true);
    for (;;) {
      try {
        return await this.#judges.forPublisher(live, lease.fence, secure);
      } catch (error) {
        if (error instanceof StoreUnavailableError && (await hold.nextForStore())) continue;
        // Without the store it expires.
        await this.#deps.quota.releaseSlot(live.data.ownerId, lease).catch(() => undefined);
        throw error;
      }
    }
  }

  /** Ends a session whose encoder disconnected. Resolves when the stream key is free. */
  async leave(publication: Publication, how: DisconnectKind, by?: Interruption): Promise<void> {
    const { liveVideoId } = publication;
    const gone = publication.disconnected(how, by).finally(() => {
      if (this.#running.get(liveVideoId) === publication) this.#running.delete(liveVideoId);
      if (this.#leaving.get(liveVideoId) === gone) this.#leaving.delete(liveVideoId);
    });
    this.#leaving.set(liveVideoId, gone);
    await gone;
  }

  /** Takes the stream key from an older publisher of this process that has been silent; `busy` if it has not been. */
  async yieldIfSilent(liveVideoId: string): Promise<'free' | 'taken-over' | 'busy'> {
    const leaving = this.#leaving.get(liveVideoId);
    if (leaving !== undefined) {
      await leaving;
      return 'free';
    }
    const running = this.#running.get(liveVideoId);
    if (running === undefined) return 'free';
    if (!running.isSilent) return 'busy';
    running.letGo(TAKEN_OVER);
    await this.leave(running, 'released');
    return 'taken-over';
  }

  /** Lets the encoder go, so that it asks for its settings again. In this process or another. */
  retune(live: LiveVideo): void {
    const running = this.#running.get(live.id);
    if (running !== undefined) this.#letGo(running, live);
    else this.#elsewhere.retune(live);
  }

  #letGo(running: Publication, live?: LiveVideo): void {
    if (live !== undefined) running.adopt(live);
    running.letGo(RETUNED);
    this.leave(running, 'released').catch((error: unknown) => {
      this.#deps.log.warn({ error, liveVideoId: running.liveVideoId }, 'releasing a re-tuned encoder failed');
    });
  }

  /** Asks the process that holds the stream to release it if its publisher is silent. */
  askToYield(liveVideoId: string): void {
    if (!this.#asked.has(liveVideoId)) this.#asked.set(liveVideoId, false);
    this.#elsewhere.tell(liveVideoId, 'yield');
  }

  /** The process that was asked disconnected its publisher. */
  hasYielded(liveVideoId: string): boolean {
    return this.#asked.get(liveVideoId) ?? false;
  }

  stopAsking(liveVideoId: string): void {
    this.#asked.delete(liveVideoId);
  }

  /** Applies a transition made by HTTP or a deadline to the running stream, in this process or another. */
  async applyEffects(moved: Moved): Promise<void> {
    const { live, effects } = moved;
    const running = this.#running.get(live.id);
    if (running === undefined) return this.#elsewhere.applyEffects(moved);
    for (const effect of effects) {
      if (effect.effect === 'went-live') running.adopt(live);
      if (effect.effect === 'close-publisher') running.end(effect.reason);
      if (effect.effect === 'ended') this.#deps.recordings.ended(live);
    }
    if (effects.length === 0) running.adopt(live);
  }

  /** Attaches a tap to a running stream. False if the stream does not run here. */
  attach(liveVideoId: string, tap: MediaTap): boolean {
    return this.#running.get(liveVideoId)?.attachTap(tap) ?? false;
  }

  detach(liveVideoId: string, tap: MediaTap): void {
    this.#running.get(liveVideoId)?.detachTap(tap);
  }

  /** Sends changes that are durable to the encoders of their broadcasts. */
  push(entries: readonly JournalEntry[]): void {
    for (const entry of entries) this.#running.get(entry.broadcastId)?.push([entry]);
  }

  tick(wallMs: number, atMs: number, lateMs = 0): void {
    for (const publication of this.#running.values()) publication.tick(wallMs, atMs, lateMs);
  }

  /** This process stood still. */
  verifyLeases(): void {
    for (const publication of this.#running.values()) publication.verifyLease();
  }

  async renewLeases(): Promise<void> {
    await Promise.all([...this.#running.values()].map((publication) => publication.renewLease()));
  }

  #obey(message: ControlMessage): void {
    if (message.from === this.#deps.holder) return;
    if (message.action === 'yielded' && this.#asked.has(message.liveVideoId))
      this.#asked.set(message.liveVideoId, true);
    const running = this.#running.get(message.liveVideoId);
    if (running === undefined) return;
    if (message.action === 'go-live') running.goLive();
    if (message.action === 'go-live-on-data') running.goLiveIfDataFlows();
    if (message.action === 'close') running.end(message.reason);
    if (message.action === 'retune') this.#letGo(running);
    if (message.action === 'yield' && !this.#leaving.has(message.liveVideoId) && running.isSilent) this.#yield(running);
  }

  #yield(running: Publication): void {
    const { liveVideoId } = running;
    // Before the key is free: the publish that takes it then knows why.
    this.#elsewhere.tell(liveVideoId, 'yielded');
    running.letGo(TAKEN_OVER);
    this.leave(running, 'released').catch((error: unknown) => {
      this.#deps.log.warn({ error, liveVideoId }, 'releasing a silent publisher failed');
    });
  }

  /** Releases every publisher; their broadcasts stay open for the grace time. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.allSettled([...this.#running.values()].map((publication) => this.leave(publication, 'released')));
    await Promise.allSettled([...this.#leaving.values()]);
  }
}

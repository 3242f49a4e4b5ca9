/** The publications of this process, and control messages between processes about those that others hold. */

import type { StreamJudge } from '../judge/judge.js';
import {
  type ForwardNotice,
  type JournalEntry,
  type Lease,
  type Log,
  type MediaTap,
  type NotedForward,
  newFence,
  RECORD_FENCES,
  StoreUnavailableError,
  type TappedStream,
  TOPIC,
  toBeClosed,
} from '../ports/index.js';
import { FORWARD_CODES, SERVICE_CODES } from '../rules/registry/service-codes.js';
import { lastReportedMs, missingMs } from './checkpoints.js';
import type { ReceivingDeps } from './deps.js';
import { Hold } from './hold.js';
import { InputPair } from './input-pair.js';
import type { JudgeFactory } from './judge-factory.js';
import { BROADCAST_LIMITS } from './limits.js';
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
  /** By the subject of the stream key. */
  readonly #running = new Map<string, Publication>();
  /** Broadcasts with two input streams, of which at least one is received here. */
  readonly #pairs = new Map<string, InputPair<Publication>>();
  readonly #leaving = new Map<string, Promise<void>>();
  /** Stream keys that one publish of this process takes now: the lease, which has the name of the process, is no bar to another. */
  readonly #taking = new Set<string>();
  /** Streams that other processes were asked to release, and whether they disconnected their publisher for it. */
  readonly #asked = new Map<string, boolean>();
  /** Fence of the last publish with each stream key here, oldest first. */
  readonly #fences = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(deps: ReceivingDeps, states: StateWriter, judges: JudgeFactory, presence: Presence) {
    this.#deps = deps;
    this.#presence = presence;
    this.#states = states;
    this.#judges = judges;
    this.#elsewhere = new StreamsElsewhere(deps, states, judges);
    const unsubscribe = deps.store.bus.subscribe(TOPIC.control, (message) => this.#obey(message as ControlMessage));
    const stopListening = deps.store.onAvailability((available) => {
      if (available) for (const publication of this.#running.values()) publication.confirm();
    });
    this.#unsubscribe = () => {
      unsubscribe();
      stopListening();
    };
  }

  /** The publication that is on air. */
  get(liveVideoId: string): Publication | undefined {
    return this.#running.get(liveVideoId) ?? this.#pairs.get(liveVideoId)?.owner;
  }

  getInput(liveVideoId: string, inputStreamId: string): Publication | undefined {
    return this.#membersOf(liveVideoId).find((each) => each.inputStreamId === inputStreamId);
  }

  /** Publications of all input streams; the one that stands by is among them. */
  #membersOf(liveVideoId: string): readonly Publication[] {
    const running = this.#running.get(liveVideoId);
    return running === undefined ? (this.#pairs.get(liveVideoId)?.members ?? []) : [running];
  }

  /** Those that are on air. */
  *all(): Iterable<Publication> {
    for (const publication of this.#running.values()) if (publication.isOnAir) yield publication;
  }

  get size(): number {
    return this.#running.size;
  }

  /** True while its publisher is connected here or being disconnected. */
  holds(liveVideoId: string): boolean {
    const isHere = this.#running.has(liveVideoId) || this.#leaving.has(liveVideoId);
    return isHere || this.#pairs.has(liveVideoId);
  }

  /** Starts the session of an admitted publisher. Resolves when the store lists the broadcast as connected. */
  async start(
    live: LiveVideo,
    lease: Lease,
    channel: EncoderChannel,
    client: AdmittedClient & { readonly tookOver: boolean },
    log: Log,
  ): Promise<Publication> {
    const { input } = client;
    const subject = input?.id ?? live.id;
    let publication: Publication;
    let stopped: Interruption | undefined;
    try {
      const pair = input === undefined ? undefined : this.#pairOf(live);
      const air = await this.#airOf(pair, lease, live);
      const isOnAir = pair === undefined || air !== undefined;
      // Still stored as connected, so the previous holder died without writing a transition.
      const isLeft = isOnAir && !client.tookOver && live.data.stream === 'connected';
      stopped = isLeft ? await this.#serverStopped(live) : undefined;
      const fence = pair === undefined ? lease.fence : newFence(RECORD_FENCES.input, this.#deps.ids);
      const judge = await this.#judge(live, lease, air, {
        fence,
        secure: client.secure,
        inputStream: input?.id,
        streamTimeMs: pair?.owner?.health().streamTimeMs,
      });
      const shared = { deps: this.#deps, states: this.#states, presence: this.#presence };
      const stream = this.#tapped(live, client);
      const own = { live, lease, judge, client, stream, channel, pair, air, fence };
      publication = new Publication({ ...own, ...shared, log });
      if (pair !== undefined && input !== undefined) {
        // It may have been forgotten meanwhile.
        this.#pairs.set(live.id, pair);
        pair.join(publication, input.index, isOnAir);
        this.#lookForEarlier(live.id);
      }
      this.#running.set(subject, publication);
      this.#hasUsed(subject, lease);
    } finally {
      this.taken(subject);
    }
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
      note: (code, observed, match) => this.get(liveVideoId)?.note(code, observed, { match }),
      stopForCopyright: async (pageName) => {
        const reason = copyrightViolation(pageName);
        const input = { type: 'stop', wallMs: this.#deps.clock.wallMs(), reason } as const;
        await this.applyEffects(await this.#states.move(liveVideoId, input));
      },
    };
  }

  /** A finding of a forward of this broadcast. */
  noteForward(liveVideoId: string, { what, observed }: ForwardNotice, { id, name }: NotedForward): void {
    this.get(liveVideoId)?.note(FORWARD_CODES[what], `${name}: ${observed}`, { forward: id });
  }

  /** Without a report, or without the store, it is not known how much is missing; the publish goes on. */
  async #serverStopped(live: LiveVideo): Promise<Interruption> {
    const reportedMs = await lastReportedMs(this.#deps.store, live.id).catch(() => undefined);
    return serverStopped(missingMs(live, reportedMs, this.#deps.clock.wallMs()));
  }

  /** The pair of a live video with two input streams; it is kept once an input stream has joined. */
  #pairOf({ id, data }: LiveVideo): InputPair<Publication> {
    const known = this.#pairs.get(id);
    if (known !== undefined) return known;
    const of = { deps: this.#deps, states: this.#states, judges: this.#judges, presence: this.#presence };
    const pair = new InputPair<Publication>(id, data, { ...of, elsewhere: this.#elsewhere });
    this.#pairs.set(id, pair);
    return pair;
  }

  /** The right to be on air, of one of two. @throws StoreUnavailableError, with the lease released */
  async #airOf(pair: InputPair<Publication> | undefined, lease: Lease, live: LiveVideo): Promise<Lease | undefined> {
    try {
      return await pair?.takeAir();
    } catch (error) {
      await this.#deps.quota.releaseSlot(live.data.ownerId, lease).catch(() => undefined);
      this.#forget(live.id);
      throw error;
    }
  }

  #forget(liveVideoId: string): void {
    if (this.#pairs.get(liveVideoId)?.isEmpty === true) this.#pairs.delete(liveVideoId);
  }

  /** Waits for a store that is away, as admission does. @throws StoreUnavailableError, with the leases released */
  async #judge(
    live: LiveVideo,
    lease: Lease,
    air: Lease | undefined,
    of: Parameters<JudgeFactory['forPublisher']>[1],
  ): Promise<StreamJudge> {
    const hold = new Hold(this.#deps, () => true);
    for (;;) {
      try {
        return await this.#judges.forPublisher(live, of);
      } catch (error) {
        if (error instanceof StoreUnavailableError && (await hold.nextForStore())) continue;
        // Without the store it expires.
        await this.#deps.quota.releaseSlot(live.data.ownerId, lease).catch(() => undefined);
        if (air !== undefined) await this.#deps.store.leases.release(air).catch(() => undefined);
        this.#forget(live.id);
        throw error;
      }
    }
  }

  /** Ends a session whose encoder disconnected. Resolves when the stream key is free. */
  async leave(publication: Publication, how: DisconnectKind, by?: Interruption): Promise<void> {
    const { subject, liveVideoId } = publication;
    const gone = publication.disconnected(how, by).finally(() => {
      if (this.#running.get(subject) === publication) this.#running.delete(subject);
      if (this.#leaving.get(subject) === gone) this.#leaving.delete(subject);
      this.#forget(liveVideoId);
    });
    this.#leaving.set(subject, gone);
    await gone;
  }

  /** False: another publish of this process has the stream key, or takes it. Until the publish is started, or `taken`. */
  take(subject: string): boolean {
    if (this.#taking.has(subject) || this.#running.has(subject) || this.#leaving.has(subject)) return false;
    this.#taking.add(subject);
    return true;
  }

  /**
   * A publish before had the lease with the same fence: its release did not reach the store, or a failover lost it. Another one
   * needs the next fence, since it numbers its entries from 1.
   */
  wasUsed(subject: string, { fence }: Lease): boolean {
    return this.#fences.get(subject) === fence;
  }

  #hasUsed(subject: string, { fence }: Lease): void {
    this.#fences.delete(subject);
    this.#fences.set(subject, fence);
    const [oldest] = this.#fences.keys();
    if (this.#fences.size > BROADCAST_LIMITS.usedFences && oldest !== undefined) this.#fences.delete(oldest);
  }

  taken(subject: string): void {
    this.#taking.delete(subject);
  }

  /** Takes the stream key from an older publisher of this process that has been silent; `busy` if it has not been. */
  async yieldIfSilent(subject: string): Promise<'free' | 'taken-over' | 'busy'> {
    const leaving = this.#leaving.get(subject);
    if (leaving !== undefined) {
      await leaving;
      return 'free';
    }
    const running = this.#running.get(subject);
    if (running === undefined) return 'free';
    if (!running.isSilentFor()) return 'busy';
    running.letGo(TAKEN_OVER);
    await this.leave(running, 'released');
    return 'taken-over';
  }

  /** Records of earlier publishes reached the store after the judges of this broadcast had begun, here or in other processes. */
  async clearEarlier(liveVideoId: string): Promise<void> {
    this.#elsewhere.tell(liveVideoId, 'late-records');
    await this.#clearEarlier(liveVideoId);
  }

  /** One that stands by changes no state, with which its broadcast would be listed. */
  #lookForEarlier(liveVideoId: string): void {
    const { store, clock, log } = this.#deps;
    store.objects.commit([toBeClosed(liveVideoId, clock.wallMs())]).catch((error: unknown) => {
      log.debug({ error, liveVideoId }, 'a broadcast could not be listed for late records');
    });
  }

  async #clearEarlier(liveVideoId: string): Promise<void> {
    const members = this.#membersOf(liveVideoId);
    const open = members.length === 0 ? [] : await this.#judges.openRecords(liveVideoId);
    for (const member of members) member.clearEarlier(open);
  }

  /** Lets the encoder go, so that it asks for its settings again. In this process or another. */
  retune(live: LiveVideo): void {
    const running = this.get(live.id);
    if (running !== undefined) this.#letGo(running, live);
    else this.#elsewhere.retune(live);
  }

  /** In this process and others. */
  putOnAir(liveVideoId: string, inputStreamId: string): void {
    this.#pairs.get(liveVideoId)?.putOnAir(inputStreamId);
    this.#elsewhere.putOnAir(liveVideoId, inputStreamId);
  }

  backupReturn(live: LiveVideo): void {
    this.#pairs.get(live.id)?.update(live.data);
    this.#elsewhere.backupReturn(live);
  }

  #letGo(running: Publication, live?: LiveVideo): void {
    if (live !== undefined) running.adopt(live);
    running.letGo(RETUNED);
    this.leave(running, 'released').catch((error: unknown) => {
      this.#deps.log.warn({ error, liveVideoId: running.liveVideoId }, 'releasing a re-tuned encoder failed');
    });
  }

  /** Asks the process that holds the stream to release it if its publisher is silent. */
  askToYield(subject: string): void {
    if (!this.#asked.has(subject)) this.#asked.set(subject, false);
    this.#elsewhere.tell(subject, 'yield');
  }

  /** The process that was asked disconnected its publisher. */
  hasYielded(subject: string): boolean {
    return this.#asked.get(subject) ?? false;
  }

  stopAsking(subject: string): void {
    this.#asked.delete(subject);
  }

  /** Applies a transition made by HTTP or a deadline to the running stream, in this process or another. */
  async applyEffects(moved: Moved): Promise<void> {
    const { live, effects } = moved;
    const running = this.get(live.id);
    if (running === undefined) {
      for (const standby of this.#membersOf(live.id)) {
        if (live.data.status === 'LIVE') standby.goLive();
        for (const effect of effects) if (effect.effect === 'close-publisher') standby.end(effect.reason);
      }
      return this.#elsewhere.applyEffects(moved);
    }
    for (const effect of effects) {
      if (effect.effect === 'went-live') running.adopt(live);
      if (effect.effect === 'close-publisher') running.end(effect.reason);
      if (effect.effect === 'ended') this.#deps.recordings.ended(live);
    }
    if (effects.every(({ effect }) => effect === 'deadline')) running.adopt(live);
  }

  /** Attaches a tap to a running stream. False if the stream does not run here. */
  attach(liveVideoId: string, tap: MediaTap): boolean {
    return this.get(liveVideoId)?.attachTap(tap) ?? false;
  }

  detach(liveVideoId: string, tap: MediaTap): void {
    this.get(liveVideoId)?.detachTap(tap);
  }

  /** Sends changes that are durable to the encoders of their broadcasts. */
  push(entries: readonly JournalEntry[]): void {
    for (const entry of entries) this.get(entry.broadcastId)?.push([entry]);
  }

  tick(wallMs: number, atMs: number, lateMs = 0): void {
    for (const pair of this.#pairs.values()) pair.tick(atMs, lateMs);
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
    const holder = this.#running.get(message.liveVideoId);
    if (message.action === 'yield' && holder?.isSilentFor() && !this.#leaving.has(message.liveVideoId))
      this.#yield(holder);
    for (const member of this.#membersOf(message.liveVideoId)) {
      if (message.action === 'go-live') member.goLive();
      if (message.action === 'close') member.end(message.reason);
    }
    const running = this.get(message.liveVideoId);
    if (message.action === 'go-live-on-data') running?.goLiveIfDataFlows();
    // The end of the broadcast closes what stays.
    if (message.action === 'late-records') this.#clearEarlier(message.liveVideoId).catch(() => undefined);
    if (message.action === 'retune' && running !== undefined) this.#letGo(running);
    this.#toPair(message);
  }

  #toPair({ liveVideoId, action, left, inputStreamId, isBackupReturn }: ControlMessage): void {
    const pair = this.#pairs.get(liveVideoId);
    if (action === 'backup-return') pair?.update({ isBackupReturn });
    if (action === 'air-wanted') pair?.wantedElsewhere();
    if (action === 'air-left' && left !== undefined) pair?.leftElsewhere(left);
    if (action === 'put-on-air' && inputStreamId !== undefined) pair?.putOnAir(inputStreamId);
  }

  #yield(running: Publication): void {
    const { liveVideoId, subject } = running;
    // Before the key is free: the publish that takes it then knows why.
    this.#elsewhere.tell(subject, 'yielded');
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

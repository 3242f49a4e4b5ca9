/** The publications that this process holds, and what happens to broadcasts that nobody holds any more. */

import type { EndReason } from '../broadcast/documents.js';
import { type JudgeResume, StreamJudge } from '../broadcast/judge.js';
import { type JournalEntry, type Lease, type Log, StoreUnavailableError, TOPIC } from '../ports.js';
import { ServiceError } from '../spec/service-errors.js';
import type { IngestDeps, MediaTap } from './deps.js';
import { INGEST_LIMITS } from './limits.js';
import { type Departure, type EncoderChannel, Publication } from './publication.js';
import { CONNECTED, DEADLINES, type LiveVideo, type Moved, type StateWriter } from './state-writer.js';
import { leaseKey, RESUME_TTL_MS, resumeKey } from './store-keys.js';

/** To whichever process holds the stream. */
interface ControlMessage {
  readonly liveVideoId: string;
  readonly from: string;
  readonly action: 'go-live' | 'close' | 'yield';
  readonly reason?: EndReason;
}

const SWEEP_BATCH = 100;
const YIELD_WAIT_MS = 1_000;

export class Publications {
  readonly #deps: IngestDeps;
  readonly #states: StateWriter;
  readonly #running = new Map<string, Publication>();
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #unsubscribe: () => void;
  #suspects: ReadonlySet<string> = new Set();

  constructor(deps: IngestDeps, states: StateWriter) {
    this.#deps = deps;
    this.#states = states;
    this.#unsubscribe = deps.store.bus.subscribe(TOPIC.control, (message) =>
      this.#onControl(message as ControlMessage),
    );
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

  /** Starts judging for an admitted publisher; resolves when the broadcast stands as connected in the store. */
  async start(
    live: LiveVideo,
    lease: Lease,
    channel: EncoderChannel,
    connection: ConnectionFacts,
    log: Log,
  ): Promise<Publication> {
    const judge = await this.#judge(live, lease.fence, connection.secure);
    const { clock } = this.#deps;
    judge.connect({ atWallMs: clock.wallMs(), atMs: clock.monotonicMs(), flashVer: connection.flashVer });
    const publication = new Publication({ live, lease, judge, channel, deps: this.#deps, states: this.#states, log });
    this.#running.set(live.id, publication);
    const atMs = clock.monotonicMs();
    if (connection.tookOver) judge.note(6504, { observed: 'a second connection with the key', atMs });
    // It still stands as connected, so whoever held it went without a word.
    else if (live.data.stream === 'connected')
      judge.note(6503, { observed: 'the server that received it stopped', atMs });
    await publication.begin();
    return publication;
  }

  /** The connection of a publication is gone; its key is free when this resolves. */
  async leave(publication: Publication, how: Departure): Promise<void> {
    const { liveVideoId } = publication;
    const gone = publication.disconnected(how).finally(() => {
      if (this.#running.get(liveVideoId) === publication) this.#running.delete(liveVideoId);
      if (this.#leaving.get(liveVideoId) === gone) this.#leaving.delete(liveVideoId);
    });
    this.#leaving.set(liveVideoId, gone);
    await gone;
  }

  /** The judge as it was left by the last holder, or a fresh one. */
  async #judge(live: LiveVideo, fence: number, secure: boolean): Promise<StreamJudge> {
    const resume = live.data.status === 'LIVE' ? await this.#resume(live) : undefined;
    return new StreamJudge({
      broadcastId: live.id,
      fence,
      mode: 'live',
      secure,
      startWallMs: this.#deps.clock.wallMs(),
      ...(this.#deps.settings.enforce === 'strict' ? { enforce: 'strict' as const } : {}),
      ...(resume === undefined ? {} : { resume }),
    });
  }

  async #resume(live: LiveVideo): Promise<JudgeResume | undefined> {
    const saved = (await this.#deps.store.getVolatile(resumeKey(live.id))) as JudgeResume | undefined;
    // Records are newer in the store than in the last checkpoint: what is open there is open.
    const { records } = await this.#deps.store.records(live.id, { limit: 100, open: true });
    if (saved !== undefined) return { ...saved, open: records };
    return StreamJudge.resumeFrom({
      liveSinceWallMs: live.data.broadcastStartMs ?? this.#deps.clock.wallMs(),
      open: records,
    });
  }

  /** Takes the key from an older publisher that has been silent; `busy` when it has not. */
  async yieldIfSilent(liveVideoId: string): Promise<'free' | 'taken-over' | 'busy'> {
    const leaving = this.#leaving.get(liveVideoId);
    if (leaving !== undefined) {
      await leaving;
      return 'free';
    }
    const running = this.#running.get(liveVideoId);
    if (running !== undefined) {
      const silentMs = this.#deps.clock.monotonicMs() - running.lastDataMs;
      if (silentMs < INGEST_LIMITS.takeOverSilenceMs) return 'busy';
      running.giveWay();
      await this.leave(running, 'released');
      return 'taken-over';
    }
    const holder = await this.#deps.store.holder(leaseKey(liveVideoId));
    if (holder === undefined || holder.holder === this.#deps.holder) return 'free';
    return (await this.#askToYield(liveVideoId)) ? 'taken-over' : 'busy';
  }

  /** Another process holds it: it lets go when its publisher is silent. */
  async #askToYield(liveVideoId: string): Promise<boolean> {
    const { store, clock } = this.#deps;
    this.#control({ liveVideoId, from: this.#deps.holder, action: 'yield' });
    const until = clock.monotonicMs() + YIELD_WAIT_MS;
    while (clock.monotonicMs() < until) {
      if (!(await this.#deps.pause(100))) return false;
      if ((await store.holder(leaseKey(liveVideoId))) === undefined) return true;
    }
    return false;
  }

  /** What a move decided elsewhere in this process (HTTP, deadlines) means for the running stream, wherever it runs. */
  async carryOut({ live, effects }: Moved): Promise<void> {
    const running = this.#running.get(live.id);
    for (const effect of effects) {
      if (effect.effect === 'went-live') {
        if (running) running.adopt(live);
        else this.#control({ liveVideoId: live.id, from: this.#deps.holder, action: 'go-live' });
      }
      if (effect.effect === 'close-publisher') {
        if (running) running.end(effect.reason);
        else {
          const reason = effect.reason === undefined ? {} : { reason: effect.reason };
          this.#control({ liveVideoId: live.id, from: this.#deps.holder, action: 'close', ...reason });
          await this.#settle(live, effect.reason);
        }
      }
      if (effect.effect === 'ended') this.#deps.onEnded?.(live);
    }
    if (running && effects.length === 0) running.adopt(live);
  }

  /** Nobody holds the stream: its open records are closed, and the reason of the end gets its record. */
  async #settle(live: LiveVideo, reason: EndReason | undefined): Promise<void> {
    await this.#whileHolding(
      live,
      (judge, at) => {
        if (reason?.code === 6601) judge.note(6601, { observed: reason.text, atMs: at.atMs });
        judge.end(at);
      },
      (judge) => this.#states.keepJudged(live.id, judge.judgedCodes()),
    );
  }

  async #whileHolding(
    live: LiveVideo,
    act: (judge: StreamJudge, at: { readonly atMs: number; readonly wallMs: number }) => void,
    then?: (judge: StreamJudge) => Promise<void>,
  ): Promise<void> {
    const { store, clock, errors, holder } = this.#deps;
    const lease = await store.acquire(leaseKey(live.id), holder, INGEST_LIMITS.leaseMs);
    if (lease === undefined) return;
    try {
      const resume = await this.#resume(live);
      const judge = new StreamJudge({
        broadcastId: live.id,
        fence: lease.fence,
        mode: 'live',
        secure: true,
        startWallMs: clock.wallMs(),
        ...(resume === undefined ? {} : { resume }),
      });
      act(judge, { atMs: clock.monotonicMs(), wallMs: clock.wallMs() });
      judge.takeChanges().forEach((change, index) => {
        errors.record({ broadcastId: live.id, fence: lease.fence, number: index + 1, change });
      });
      await then?.(judge);
    } finally {
      await store.release(lease);
    }
  }

  /** Whoever wants to see a running stream from now on. False: it does not run here. */
  attachTap(liveVideoId: string, tap: MediaTap): boolean {
    return this.#running.get(liveVideoId)?.attachTap(tap) ?? false;
  }

  detachTap(liveVideoId: string, tap: MediaTap): void {
    this.#running.get(liveVideoId)?.detachTap(tap);
  }

  onJournalled(entries: readonly JournalEntry[]): void {
    for (const entry of entries) this.#running.get(entry.broadcastId)?.onJournalled(entry);
  }

  tick(wallMs: number, atMs: number): void {
    for (const publication of this.#running.values()) publication.tick(wallMs, atMs);
  }

  async renewLeases(): Promise<void> {
    await Promise.all([...this.#running.values()].map((publication) => publication.renewLease()));
  }

  /** Broadcasts whose deadline has passed: grace over, planned start reached, schedule expired. */
  async sweepDeadlines(): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    const due = await store.page(DEADLINES, { limit: SWEEP_BATCH, ascending: true, untilScore: nowMs });
    for (const { member } of due.entries) {
      try {
        const dataFlows = this.#running.get(member)?.dataFlows ?? false;
        const moved = await this.#states.move(member, { type: 'deadline', atMs: nowMs, dataFlows });
        if (!moved.effects.some((effect) => effect.effect === 'deadline')) await this.#dropDeadline(member);
        await this.carryOut(moved);
      } catch (error) {
        // Gone or over meanwhile: nothing is left to wake.
        if (!(error instanceof ServiceError)) throw error;
        await this.#dropDeadline(member);
      }
    }
  }

  async #dropDeadline(member: string): Promise<void> {
    await this.#deps.store.commit([{ op: 'edgeRemove', ...DEADLINES, member }]);
  }

  /**
   * Broadcasts that stand as connected although no process holds them: their holder died. With a shared store one is
   * taken for dead only when two rounds found nobody: after an outage of the store a living holder needs a moment to
   * take its lease back.
   */
  async sweepLost(): Promise<void> {
    const suspects = new Set<string>();
    let after: string | undefined;
    do {
      const page = await this.#deps.store.page(CONNECTED, {
        limit: SWEEP_BATCH,
        ascending: true,
        ...(after === undefined ? {} : { after }),
      });
      await Promise.all(page.entries.map(({ member }) => this.#lookAfter(member, suspects)));
      after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
    } while (after !== undefined);
    this.#suspects = suspects;
  }

  async #lookAfter(member: string, suspects: Set<string>): Promise<void> {
    const { store, clock, settings } = this.#deps;
    if (this.#running.has(member) || this.#leaving.has(member)) return;
    if ((await store.holder(leaseKey(member))) !== undefined) return;
    if (store.kind === 'redis' && !this.#suspects.has(member)) {
      suspects.add(member);
      return;
    }
    try {
      const live = await this.#states.load(member);
      if (live.data.status === 'LIVE') await this.#noteLost(live);
      const graceMs = settings.reconnectGraceMs;
      await this.#states.move(member, { type: 'connection-lost', atMs: clock.wallMs(), graceMs });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await store.commit([{ op: 'edgeRemove', ...CONNECTED, member }]);
    }
  }

  async #noteLost(live: LiveVideo): Promise<void> {
    await this.#whileHolding(
      live,
      (judge, at) => {
        judge.disconnect({ ...at, clean: false });
        judge.note(6503, { observed: 'the server that received it stopped', atMs: at.atMs });
      },
      (judge) => this.#deps.store.setVolatile(resumeKey(live.id), judge.resume(), RESUME_TTL_MS),
    );
  }

  #control(message: ControlMessage): void {
    this.#deps.store.bus.publish(TOPIC.control, message);
  }

  #onControl(message: ControlMessage): void {
    if (message.from === this.#deps.holder) return;
    const running = this.#running.get(message.liveVideoId);
    if (running === undefined) return;
    if (message.action === 'go-live') running.goLive();
    if (message.action === 'close') running.end(message.reason);
    if (
      message.action === 'yield' &&
      this.#deps.clock.monotonicMs() - running.lastDataMs >= INGEST_LIMITS.takeOverSilenceMs
    ) {
      running.giveWay();
      this.leave(running, 'released').catch((error: unknown) => {
        this.#deps.log.warn({ error, liveVideoId: message.liveVideoId }, 'a silent publisher could not be let go');
      });
    }
  }

  /** Lets every publisher go: their broadcasts stay open for the grace time. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.allSettled([...this.#running.values()].map((publication) => this.leave(publication, 'released')));
    await Promise.allSettled([...this.#leaving.values()]);
  }
}

export interface ConnectionFacts {
  readonly secure: boolean;
  readonly flashVer: string;
  readonly tookOver: boolean;
}

/** A store that went away is no reason to stop sweeping; the next round comes. */
export function tolerateAway(log: Log): (error: unknown) => void {
  return (error) => {
    if (error instanceof StoreUnavailableError) return;
    log.error({ error }, 'housekeeping of broadcasts failed');
  };
}

/** Periodic sweeps: broadcasts whose deadline has passed, orphans whose holder died, and records left open after the end. */

import { defined } from '../lib/objects.js';
import { advance, isOver } from '../lifecycle/lifecycle.js';
import { LEASE, type Lease, type Log, StoreUnavailableError, SYSTEM_EDGES, VOLATILE } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import { ServiceError } from '../spec/service-errors.js';
import { lastReportedMs, missingMs, RESUME_TTL_MS } from './checkpoints.js';
import type { BroadcastDeps } from './deps.js';
import type { JudgeFactory } from './judge-factory.js';
import type { Presence } from './presence.js';
import type { Publications } from './publications.js';
import { serverStopped } from './publisher/close-reasons.js';
import { RecordCloser } from './record-closer.js';
import { type LiveVideo, type Moved, requireFence, type StateWriter, SupersededError } from './state-writer.js';

const BATCH = 100;

export class Housekeeping {
  readonly #deps: BroadcastDeps;
  readonly #states: StateWriter;
  readonly #judges: JudgeFactory;
  readonly #publications: Publications;
  readonly #presence: Pick<Presence, 'isSilent'>;
  readonly #records: RecordCloser;
  #suspects: ReadonlySet<string> = new Set();

  constructor(
    deps: BroadcastDeps,
    states: StateWriter,
    judges: JudgeFactory,
    publications: Publications,
    presence: Pick<Presence, 'isSilent'>,
  ) {
    this.#deps = deps;
    this.#presence = presence;
    this.#states = states;
    this.#judges = judges;
    this.#publications = publications;
    this.#records = new RecordCloser(deps, states, judges);
  }

  /** Applies passed deadlines: end of the grace time, planned start, expired schedule. */
  async sweepDeadlines(): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    const due = await store.objects.page(SYSTEM_EDGES.deadlines, { limit: BATCH, ascending: true, untilScore: nowMs });
    for (const { member } of due.entries) {
      try {
        const moved = await this.#passDeadline(member, nowMs);
        if (moved === undefined) continue;
        if (!moved.effects.some((effect) => effect.effect === 'deadline')) await this.#dropDeadline(member);
        await this.#publications.applyEffects(moved);
      } catch (error) {
        // Deleted or ended meanwhile: the deadline is obsolete.
        if (!(error instanceof ServiceError)) throw error;
        await this.#dropDeadline(member);
      }
    }
  }

  /**
   * A broadcast without a publisher ends under its lease. `undefined`, and nothing: a publish has it, which was admitted before the
   * end and continues the broadcast.
   */
  async #passDeadline(member: string, wallMs: number): Promise<Moved | undefined> {
    const dataFlows = this.#publications.get(member)?.dataFlows ?? false;
    const input = { type: 'deadline', wallMs, dataFlows } as const;
    const { data } = await this.#states.load(member);
    const next = advance(data, input)?.state;
    if (data.stream === 'connected' || next === undefined || !isOver(next)) return this.#states.move(member, input);
    const lease = await this.#judges.lease(member);
    if (lease === undefined) return undefined;
    try {
      return await this.#states.move(member, input);
    } finally {
      await this.#deps.store.leases.release(lease);
    }
  }

  /** Closes records that are open after the end of their broadcast. */
  async sweepClosing(): Promise<void> {
    const { store, clock } = this.#deps;
    const query = { limit: BATCH, ascending: true, untilScore: clock.wallMs() };
    const { entries } = await store.objects.page(SYSTEM_EDGES.closing, query);
    await Promise.all(
      entries.map(async ({ member }) => {
        if (await this.#isClosed(member))
          await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.closing, member }]);
      }),
    );
  }

  /**
   * The process that receives a broadcast clears what came late. Without one there is nothing to do: the next judge reads it. The
   * end lists the broadcast again.
   */
  async #isClosed(liveVideoId: string): Promise<boolean> {
    try {
      const live = await this.#states.load(liveVideoId);
      if (isOver(live.data)) {
        // Added once: the process that ended the broadcast may have died before it did.
        if (live.data.status === 'LIVE_STOPPED' && live.data.broadcastStartMs !== undefined)
          this.#deps.recordings.ended(live);
        return await this.#records.closeLeft(live);
      }
      await this.#publications.clearEarlier(liveVideoId);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return true;
      throw error;
    }
  }

  async #dropDeadline(member: string): Promise<void> {
    await this.#deps.store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.deadlines, member }]);
  }

  /**
   * Recovers broadcasts that the store lists as connected although no process holds their lease: the holder died. With
   * a shared store a broadcast counts as an orphan only after two rounds without a holder, because after an outage of
   * the store a live holder needs time to reclaim its lease.
   */
  async sweepLost(): Promise<void> {
    const suspects = new Set<string>();
    let after: string | undefined;
    do {
      const page = await this.#deps.store.objects.page(SYSTEM_EDGES.connected, {
        limit: BATCH,
        ascending: true,
        ...defined({ after }),
      });
      await Promise.all(page.entries.map(({ member }) => this.#recoverOrphan(member, suspects)));
      after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
    } while (after !== undefined);
    this.#suspects = suspects;
  }

  async #recoverOrphan(member: string, suspects: Set<string>): Promise<void> {
    if (this.#publications.holds(member)) return;
    const lease = await this.#leaseOf(member, suspects);
    if (lease === undefined) return;
    try {
      await this.#markLost(member, lease);
    } finally {
      await this.#deps.store.leases.release(lease);
    }
  }

  /** Under the lease, and fenced: an encoder that returns meanwhile is either held until the end of it, or comes later. */
  async #markLost(member: string, lease: Lease): Promise<void> {
    const { clock, settings } = this.#deps;
    try {
      const live = await this.#states.load(member);
      if (live.data.stream !== 'connected') return this.#unlist(member);
      // The clock of the broadcast stops there.
      const lastMs = await lastReportedMs(this.#deps.store, member);
      if (live.data.status === 'LIVE') await this.#noteLost(live, lease, lastMs);
      const lost = { type: 'connection-lost', wallMs: clock.wallMs(), graceMs: settings.reconnectGraceMs } as const;
      const guard = requireFence(lease.fence);
      await this.#states.move(member, lastMs === undefined ? lost : { ...lost, lastMs }, { guard });
    } catch (error) {
      if (error instanceof SupersededError) return;
      if (!(error instanceof ServiceError)) throw error;
      await this.#unlist(member);
    }
  }

  async #unlist(member: string): Promise<void> {
    await this.#deps.store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.connected, member }]);
  }

  /** The lease of a broadcast whose holder died. `undefined`: a process holds it, or may still reclaim it. */
  async #leaseOf(member: string, suspects: Set<string>): Promise<Lease | undefined> {
    const { store, holder } = this.#deps;
    const current = await store.leases.holder(LEASE.publish(member));
    if (current !== undefined) {
      // A publish of this process that is being admitted.
      const isDead = current.holder !== holder && (await this.#presence.isSilent(current.holder));
      return isDead ? this.#judges.lease(member, current) : undefined;
    }
    if (!store.isShared || this.#suspects.has(member)) return this.#judges.lease(member);
    suspects.add(member);
    return undefined;
  }

  async #noteLost(live: LiveVideo, lease: Lease, lastMs: number | undefined): Promise<void> {
    await this.#judges.act(
      live,
      lease,
      (judge, at) => {
        judge.disconnect({ ...at, clean: false });
        const by = serverStopped(missingMs(live, lastMs, at.wallMs));
        judge.note(SERVICE_CODES.streamInterrupted, { ...by, atMs: at.atMs });
      },
      (judge) => this.#deps.store.volatile.set(VOLATILE.judge(live.id), judge.resume(), RESUME_TTL_MS),
    );
  }
}

/** Sweeping continues while the store is unavailable; the next round retries. */
export function logUnlessUnavailable(log: Log): (error: unknown) => void {
  return (error) => {
    if (error instanceof StoreUnavailableError) return;
    log.error({ error }, 'broadcast housekeeping failed');
  };
}

/** Periodic sweeps: broadcasts whose deadline has passed, and orphans whose holder died. */

import { defined } from '../lib/objects.js';
import { LEASE, type Log, StoreUnavailableError, type StreamHealth, SYSTEM_EDGES, VOLATILE } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import { ServiceError } from '../spec/service-errors.js';
import { RESUME_TTL_MS } from './checkpoints.js';
import type { BroadcastDeps } from './deps.js';
import type { JudgeFactory } from './judge-factory.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Presence } from './presence.js';
import type { Publications } from './publications.js';
import type { LiveVideo, StateWriter } from './state-writer.js';

const BATCH = 100;

export class Housekeeping {
  readonly #deps: BroadcastDeps;
  readonly #states: StateWriter;
  readonly #judges: JudgeFactory;
  readonly #publications: Publications;
  readonly #presence: Pick<Presence, 'isSilent'>;
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
  }

  /** Applies passed deadlines: end of the grace time, planned start, expired schedule. */
  async sweepDeadlines(): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    const due = await store.objects.page(SYSTEM_EDGES.deadlines, { limit: BATCH, ascending: true, untilScore: nowMs });
    for (const { member } of due.entries) {
      try {
        const dataFlows = this.#publications.get(member)?.packets.dataFlows ?? false;
        const moved = await this.#states.move(member, { type: 'deadline', wallMs: nowMs, dataFlows });
        if (!moved.effects.some((effect) => effect.effect === 'deadline')) await this.#dropDeadline(member);
        await this.#publications.applyEffects(moved);
      } catch (error) {
        // Deleted or ended meanwhile: the deadline is obsolete.
        if (!(error instanceof ServiceError)) throw error;
        await this.#dropDeadline(member);
      }
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
    const { store, clock, settings } = this.#deps;
    if (this.#publications.holds(member) || (await this.#isHeld(member, suspects))) return;
    try {
      const live = await this.#states.load(member);
      const lastMs = await this.#lastPacketMs(member);
      if (live.data.status === 'LIVE') await this.#noteLost(live);
      const graceMs = settings.reconnectGraceMs;
      const lost = { type: 'connection-lost', wallMs: clock.wallMs(), graceMs } as const;
      await this.#states.move(member, lastMs === undefined ? lost : { ...lost, lastMs });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await store.objects.commit([{ op: 'edgeRemove', ...SYSTEM_EDGES.connected, member }]);
    }
  }

  /** A process holds the lease, or may still reclaim it. The lease of a process that died is taken from it. */
  async #isHeld(member: string, suspects: Set<string>): Promise<boolean> {
    const { store, holder } = this.#deps;
    const current = await store.leases.holder(LEASE.publish(member));
    if (current !== undefined) {
      if (!(await this.#presence.isSilent(current.holder))) return true;
      const taken = await store.leases.takeOver(current, holder, BROADCAST_LIMITS.leaseMs);
      if (taken !== undefined) await store.leases.release(taken);
      return taken === undefined;
    }
    if (!store.isShared || this.#suspects.has(member)) return false;
    suspects.add(member);
    return true;
  }

  /** When the last packet arrived, from the last report of its process: the clock of the broadcast stops there. */
  async #lastPacketMs(member: string): Promise<number | undefined> {
    const last = (await this.#deps.store.volatile.get(VOLATILE.health(member))) as StreamHealth | undefined;
    return last?.connected ? last.atMs - (last.silentMs ?? 0) : undefined;
  }

  async #noteLost(live: LiveVideo): Promise<void> {
    await this.#judges.withLease(
      live,
      (judge, at) => {
        judge.disconnect({ ...at, clean: false });
        judge.note(SERVICE_CODES.streamInterrupted, { observed: 'the server that received it stopped', atMs: at.atMs });
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

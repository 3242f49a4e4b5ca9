/** Closes the records of a broadcast that was ended, for one whose publisher is not connected to this process. */
import type { EndReason } from '../lifecycle/documents.js';
import { LEASE, type Lease, processOf, type StateMessage, StoreUnavailableError, TOPIC } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { BroadcastDeps } from './deps.js';
import type { JudgeFactory } from './judge-factory.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { LiveVideo, StateWriter } from './state-writer.js';

const { heldMs, proveAliveMs } = BROADCAST_LIMITS;

export class RecordCloser {
  readonly #deps: Pick<BroadcastDeps, 'store' | 'pause'>;
  readonly #states: StateWriter;
  readonly #judges: Pick<JudgeFactory, 'withLease' | 'openRecords'>;

  constructor(
    deps: Pick<BroadcastDeps, 'store' | 'pause'>,
    states: StateWriter,
    judges: Pick<JudgeFactory, 'withLease' | 'openRecords'>,
  ) {
    this.#deps = deps;
    this.#states = states;
    this.#judges = judges;
  }

  /**
   * Also records the reason of the end. The process that receives the stream does so when it is told, and announces it; one
   * whose publisher is just leaving may not, and one that died cannot. All three have the lease at first.
   */
  async close(live: LiveVideo, reason: EndReason | undefined): Promise<void> {
    const { store, pause } = this.#deps;
    let wake = (): void => undefined;
    const unsubscribe = store.bus.subscribe(TOPIC.state, (message) => {
      if ((message as StateMessage).liveVideoId === live.id) wake();
    });
    try {
      let pausing: Promise<'paused' | 'over'> | undefined;
      for (let pauses = 0; pauses <= heldMs / proveAliveMs; ) {
        const announced = new Promise<'announced'>((resolve) => {
          wake = () => resolve('announced');
        });
        if (await this.#isClosed(live, reason)) return;
        // A pause too: nothing announces that a lease is released, or that its holder died. Only pauses count: a state that is
        // announced often must not shorten the wait.
        pausing ??= pause(proveAliveMs).then((goesOn) => (goesOn ? 'paused' : 'over'));
        const why = await Promise.race([announced, pausing]);
        if (why === 'over') return;
        if (why === 'paused') {
          pauses++;
          pausing = undefined;
        }
      }
    } finally {
      unsubscribe();
    }
  }

  /**
   * Closes what is open long after the end: the process that ended the broadcast died, or records of an earlier publish reached the
   * store late. True: nothing was open. False: look again.
   */
  async closeLeft(live: LiveVideo): Promise<boolean> {
    const { judgedCodes, endReason } = live.data;
    const isClosed = judgedCodes !== undefined;
    if (isClosed && (await this.#judges.openRecords(live.id)).length === 0) return true;
    await this.#tryToClose(live, isClosed ? undefined : endReason);
    return false;
  }

  /** False as well while the store is away: the end is stored, and its records must not stay open. */
  async #isClosed(live: LiveVideo, reason: EndReason | undefined): Promise<boolean> {
    try {
      if (await this.#tryToClose(live, reason)) return true;
      const found = await this.#deps.store.objects.get<LiveVideo['data']>(live.id);
      return found === undefined || found.data.judgedCodes !== undefined;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return false;
      throw error;
    }
  }

  async #tryToClose(live: LiveVideo, reason: EndReason | undefined): Promise<boolean> {
    return this.#judges.withLease(
      live,
      await this.#leaseOfDead(live.id),
      (judge, at) => {
        if (reason?.code === SERVICE_CODES.copyrightViolation)
          judge.note(SERVICE_CODES.copyrightViolation, { observed: reason.text, atMs: at.atMs });
        // Where the stream stopped: the grace period after it is no part of the broadcast.
        judge.end({ ...at, wallMs: live.data.endedMs ?? at.wallMs });
      },
      async (judge) => {
        if (live.data.judgedCodes === undefined) await this.#states.keepJudged(live.id, judge.judgedCodes());
      },
    );
  }

  /** Lease of a broadcast that is over, taken even if its holder only seems dead: that process then gives up the stream. */
  async #leaseOfDead(liveVideoId: string): Promise<Lease | undefined> {
    const { leases } = this.#deps.store;
    const current = await leases.holder(LEASE.publish(liveVideoId));
    return current === undefined || (await leases.isAlive(processOf(current.holder))) ? undefined : current;
  }
}

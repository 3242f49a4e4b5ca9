/**
 * Signs of life of lease holders: this process proves that it is alive, notices when it stood still itself, and knows which
 * other holders are silent. A silent holder loses a stream key to the next publish; its lease would last longer.
 */
import { processOf } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';

type PresenceDeps = Pick<BroadcastDeps, 'store' | 'clock' | 'holder' | 'log'>;

interface Known {
  readonly atMs: number;
  readonly isAlive: Promise<boolean>;
}

export class Presence {
  readonly #deps: PresenceDeps;
  /** Answers about other holders, shared by all publishes that wait for one of them. */
  readonly #known = new Map<string, Known>();
  #isRunning = false;
  #ranAtMs = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isSending = false;
  /** Since when every sign of this process has reached the store. */
  #heardSinceMs = Number.POSITIVE_INFINITY;
  #requiredMs: number = BROADCAST_LIMITS.aliveMs;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  /** Gives the first sign. */
  async start(): Promise<void> {
    this.#isRunning = true;
    this.#ranAtMs = this.#deps.clock.monotonicMs();
    await this.#prove(this.#ranAtMs);
  }

  stop(): void {
    this.#isRunning = false;
  }

  /** To be called by the clock of the process. */
  tick(atMs: number): void {
    this.#ranAtMs = atMs;
    if (this.#isSending || atMs - this.#sentAtMs < BROADCAST_LIMITS.proveAliveMs) return;
    void this.#prove(atMs);
  }

  /** The process stood still for so long that another may have taken its leases. `verifiedMs`: since then they are known. */
  isStalled(nowMs: number, verifiedMs = 0): boolean {
    return this.#isRunning && nowMs - Math.max(this.#ranAtMs, verifiedMs) > BROADCAST_LIMITS.stalledMs;
  }

  /**
   * `unknown`: the signs of another holder could be missing for the same reason as this process's own, an outage of the
   * store for example.
   */
  async stateOf(holder: string): Promise<'alive' | 'silent' | 'unknown'> {
    const couldJudge = this.#canJudge;
    if (await this.#isAlive(processOf(holder))) return 'alive';
    return couldJudge && this.#canJudge ? 'silent' : 'unknown';
  }

  async isSilent(holder: string): Promise<boolean> {
    return (await this.stateOf(holder)) === 'silent';
  }

  get #canJudge(): boolean {
    return this.#deps.clock.monotonicMs() - this.#heardSinceMs >= this.#requiredMs;
  }

  #isAlive(holder: string): Promise<boolean> {
    const nowMs = this.#deps.clock.monotonicMs();
    const known = this.#known.get(holder);
    if (known !== undefined && nowMs - known.atMs < BROADCAST_LIMITS.heldPollMs) return known.isAlive;
    if (this.#known.size >= BROADCAST_LIMITS.knownHolders) this.#known.clear();
    const isAlive = this.#deps.store.leases.isAlive(holder);
    this.#known.set(holder, { atMs: nowMs, isAlive });
    return isAlive;
  }

  async #prove(atMs: number): Promise<void> {
    const { store, clock, holder, log } = this.#deps;
    this.#sentAtMs = atMs;
    this.#isSending = true;
    try {
      await store.leases.proveAlive(holder, BROADCAST_LIMITS.aliveMs);
      this.#heardSinceMs = Math.min(this.#heardSinceMs, clock.monotonicMs());
    } catch (error) {
      log.debug({ error }, 'the sign of life of this process did not reach the store');
      this.#notHeard(clock.monotonicMs() - atMs);
    } finally {
      this.#isSending = false;
    }
  }

  #notHeard(afterMs: number): void {
    const { aliveAfterOutageMs, aliveAfterHangMs, noAnswerMs } = BROADCAST_LIMITS;
    const isNew = this.#heardSinceMs !== Number.POSITIVE_INFINITY;
    const requiredMs = afterMs < noAnswerMs ? aliveAfterOutageMs : aliveAfterHangMs;
    this.#requiredMs = isNew ? requiredMs : Math.max(this.#requiredMs, requiredMs);
    this.#heardSinceMs = Number.POSITIVE_INFINITY;
    // A call to a store that is away fails at once: the next tick tries again, so that its return is noticed.
    this.#sentAtMs = Number.NEGATIVE_INFINITY;
  }
}

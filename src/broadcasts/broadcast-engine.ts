/**
 * All running broadcasts of this process: the publish gate, publications, preflights, the clock that drives them, and
 * periodic store work. Protocol-independent: each protocol hands in its publish requests and their packets.
 */
import { defined } from '../lib/objects.js';
import type { Log } from '../ports/index.js';
import { BroadcastService } from './broadcast-service.js';
import type { ReceivingDeps } from './deps.js';
import type { IsWaiting } from './hold.js';
import { Housekeeping, logUnlessUnavailable } from './housekeeping.js';
import { JudgeFactory } from './judge-factory.js';
import { KeyHandover } from './key-handover.js';
import { BROADCAST_LIMITS } from './limits.js';
import { Preflight } from './preflight.js';
import { Presence } from './presence.js';
import { Publications } from './publications.js';
import { PublishChecks } from './publish-checks.js';
import { type Admission, PublishGate } from './publish-gate.js';
import type { ClientFacts, EncoderChannel, PublishSession } from './publisher/publisher.js';
import type { Refusal } from './publisher/refusals.js';
import type { PublishOrigin } from './refused-publishes.js';
import { StateWriter } from './state-writer.js';

/** Calls with which a protocol's connection admits, starts and abandons a publish. */
export interface PublishHandler {
  /** `name` is the publish name, `path` the application path; either may hold the stream key. */
  admit(name: string, path: string, from: PublishOrigin, isWaiting?: IsWaiting): Promise<Admission | Refusal>;
  /** Frees the stream key of an admission that never started. */
  release(admission: Admission): Promise<void>;
  start(admission: Admission, channel: EncoderChannel, client: ClientFacts, log: Log): Promise<PublishSession>;
}

/** The connections of a protocol, whose deadlines the clock of the broadcasts drives. */
export interface Clocked {
  /** There is no deadline: the clock may slow down. */
  readonly isIdle: boolean;
  /** Runs before the publications' tick, with the monotonic time. */
  tick(atMs: number): void;
}

export class BroadcastEngine implements PublishHandler {
  readonly service: BroadcastService;
  readonly publications: Publications;
  readonly presence: Presence;
  readonly #deps: ReceivingDeps;
  readonly #states: StateWriter;
  readonly #gate: PublishGate;
  readonly #preflights = new Set<Preflight>();
  readonly #housekeeping: Housekeeping;
  readonly #clocked: Clocked[] = [];
  #timer: NodeJS.Timeout | undefined;
  #tickMs = 0;
  #lastTickAtMs = 0;
  #running = false;
  #deadlinesAtMs = 0;
  #lostAtMs = 0;
  #renewedAtMs = 0;
  #sweeping: Promise<unknown> = Promise.resolve();
  #sweepIdle = true;

  constructor(deps: ReceivingDeps) {
    this.#deps = deps;
    this.#states = new StateWriter(deps.store, deps.clock);
    const judges = new JudgeFactory(deps);
    this.presence = new Presence(deps);
    this.publications = new Publications(deps, this.#states, judges, this.presence);
    this.#housekeeping = new Housekeeping(deps, this.#states, judges, this.publications, this.presence);
    this.service = new BroadcastService(deps, this.#states, this.publications);
    const handover = new KeyHandover(deps, this.publications, this.presence);
    this.#gate = new PublishGate(deps, new PublishChecks(deps, this.service), this.publications, handover);
  }

  // ---------------------------------------------------------------- publishes

  admit(
    name: string,
    path: string,
    from: PublishOrigin,
    isWaiting: IsWaiting = () => true,
  ): Promise<Admission | Refusal> {
    return this.#gate.admit(name, path, from, isWaiting);
  }

  release(admission: Admission): Promise<void> {
    return this.#gate.release(admission);
  }

  async start(
    { live, lease, preflight, tookOver, hasStorage, heldMs, setup, input }: Admission,
    channel: EncoderChannel,
    client: ClientFacts,
    log: Log,
  ): Promise<PublishSession> {
    this.wake();
    if (preflight) {
      const target = new Preflight(this.#deps, { live, lease, channel, client });
      this.#preflights.add(target);
      return { target, leave: () => this.#leavePreflight(target) };
    }
    const publication = await this.publications.start(
      live,
      lease,
      channel,
      { ...client, tookOver, hasStorage, heldMs, ...defined({ setup, input }) },
      log,
    );
    return { target: publication, leave: (how, by) => this.publications.leave(publication, how, by) };
  }

  #leavePreflight(preflight: Preflight): Promise<void> {
    this.#preflights.delete(preflight);
    return preflight.leave();
  }

  // ---------------------------------------------------------------- time

  /** Recovers broadcasts that a stopped process left behind, then starts the clock. */
  async run(): Promise<void> {
    await this.presence.start();
    await this.#housekeeping.sweepLost();
    this.#running = true;
    this.#tickEvery(BROADCAST_LIMITS.tickMs);
  }

  /** A connection was opened: its deadlines need the full pace of the clock. */
  wake(): void {
    if (this.#running) this.#tickEvery(BROADCAST_LIMITS.tickMs);
  }

  #tickEvery(ms: number): void {
    if (ms === this.#tickMs) return;
    this.#tickMs = ms;
    clearInterval(this.#timer);
    this.#lastTickAtMs = this.#deps.clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), ms);
  }

  /** From now on the clock drives it, too. */
  join(clocked: Clocked): void {
    this.#clocked.push(clocked);
  }

  #tick(): void {
    const { clock } = this.#deps;
    const atMs = clock.monotonicMs();
    const wallMs = clock.wallMs();
    const lateMs = this.#lateMs(atMs);
    if (this.presence.isStalled(atMs)) this.publications.verifyLeases();
    this.presence.tick(atMs);
    for (const clocked of this.#clocked) clocked.tick(atMs);
    this.publications.tick(wallMs, atMs, lateMs);
    for (const preflight of this.#preflights) preflight.tick(wallMs, atMs);
    if (this.#sweepIdle) this.#sweep(atMs);
    if (this.#isIdle) this.#tickEvery(BROADCAST_LIMITS.idleTickMs);
  }

  /** How late this tick runs. After a change of pace the interval before it is not known. */
  #lateMs(atMs: number): number {
    const dueMs = this.#lastTickAtMs + this.#tickMs;
    this.#lastTickAtMs = atMs;
    return Math.max(0, atMs - dueMs);
  }

  get #isIdle(): boolean {
    return this.publications.size === 0 && this.#preflights.size === 0 && this.#clocked.every(({ isIdle }) => isIdle);
  }

  /** Periodic store work. One round at a time, so that rounds do not pile up on a slow store. */
  #sweep(atMs: number): void {
    const rounds: (() => Promise<void>)[] = [];
    if (atMs - this.#renewedAtMs >= BROADCAST_LIMITS.leaseRenewMs) {
      this.#renewedAtMs = atMs;
      rounds.push(() => this.publications.renewLeases());
    }
    if (atMs - this.#deadlinesAtMs >= BROADCAST_LIMITS.deadlineSweepMs) {
      this.#deadlinesAtMs = atMs;
      rounds.push(() => this.#housekeeping.sweepDeadlines());
    }
    if (atMs - this.#lostAtMs >= BROADCAST_LIMITS.lostSweepMs) {
      this.#lostAtMs = atMs;
      rounds.push(
        () => this.#housekeeping.sweepLost(),
        () => this.#housekeeping.sweepClosing(),
      );
    }
    if (rounds.length === 0) return;
    this.#sweepIdle = false;
    const onError = logUnlessUnavailable(this.#deps.log);
    this.#sweeping = Promise.all(rounds.map((round) => round().catch(onError))).finally(() => {
      this.#sweepIdle = true;
    });
  }

  // ---------------------------------------------------------------- end

  /** Stops the clock and leaves every publication; the broadcasts stay open for the grace time. */
  async close(): Promise<void> {
    this.#running = false;
    this.presence.stop();
    clearInterval(this.#timer);
    await this.#sweeping;
    await this.publications.close();
    await Promise.allSettled([...this.#preflights].map((preflight) => this.#leavePreflight(preflight)));
  }
}

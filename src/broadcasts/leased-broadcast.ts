/** The broadcast in the store, while this process holds its key: the moves of its life, the judge's state, the lease. */
import type { EndReason } from '../broadcast/documents.js';
import { goesLiveOnPublish, type LifecycleEffect } from '../broadcast/lifecycle.js';
import { type Lease, type Log, StoreUnavailableError } from '../ports/index.js';
import { type CheckpointSource, Checkpoints } from './checkpoints.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { DisconnectKind } from './publisher.js';
import type { LiveVideo, StateWriter } from './state-writer.js';
import { TransitionQueue } from './transition-queue.js';

export interface LeasedBroadcastOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly deps: BroadcastDeps;
  readonly states: StateWriter;
  readonly source: CheckpointSource;
  readonly log: Log;
  /** What a move that the store has taken means. */
  readonly onEffect: (effect: LifecycleEffect) => void;
  /** Somebody else ended or deleted it meanwhile. */
  readonly onRefused: () => void;
}

export class LeasedBroadcast {
  readonly checkpoints: Checkpoints;
  readonly #deps: BroadcastDeps;
  readonly #lease: Lease;
  readonly #states: StateWriter;
  readonly #log: Log;
  readonly #moves: TransitionQueue;
  #live: LiveVideo;

  constructor({ live, lease, deps, states, source, log, onEffect, onRefused }: LeasedBroadcastOptions) {
    this.checkpoints = new Checkpoints(live.id, deps.store, log, source);
    this.#deps = deps;
    this.#lease = lease;
    this.#states = states;
    this.#log = log;
    this.#live = live;
    this.#moves = new TransitionQueue({
      liveVideoId: live.id,
      states,
      pause: (ms) => deps.pause(ms),
      log,
      onMoved: ({ live: moved, effects }) => {
        this.#live = moved;
        for (const effect of effects) onEffect(effect);
      },
      onRefused,
    });
  }

  /** As the store has it, for all that is known here. */
  get live(): LiveVideo {
    return this.#live;
  }

  get goesLiveOnData(): boolean {
    return goesLiveOnPublish(this.#live.data);
  }

  /** It was changed elsewhere. */
  adopt(live: LiveVideo): void {
    this.#live = live;
  }

  // ---------------------------------------------------------------- moves, one after the other

  /** It stands as connected when this resolves. */
  begin(): Promise<void> {
    return this.#moves.move({ type: 'publish', wallMs: this.#deps.clock.wallMs() });
  }

  validData(): void {
    this.#moves.move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
  }

  stop(reason: EndReason): void {
    this.#moves.move({ type: 'stop', wallMs: this.#deps.clock.wallMs(), reason });
  }

  interrupt(how: DisconnectKind, wallMs: number): void {
    const type = how === 'unpublished' ? 'unpublish' : 'connection-lost';
    this.#moves.move({ type, wallMs, graceMs: this.#deps.settings.reconnectGraceMs });
  }

  /** For whoever looks at it when it is over. */
  keepJudged(codes: readonly number[]): void {
    this.#moves.after(() =>
      this.#states.keepJudged(this.#live.id, codes).catch((error: unknown) => {
        this.#log.warn({ error }, 'which rules were judged could not be kept');
      }),
    );
  }

  /** Behind all that was asked for. The key is free when this resolves. `isLive`: there is something to come back to. */
  release(isLive: boolean): Promise<void> {
    return this.#moves.after(async () => {
      if (isLive && this.#live.data.status === 'LIVE') await this.checkpoints.save();
      await this.#deps.quota.leavePlace(this.#live.data.ownerId, this.#lease).catch((error: unknown) => {
        this.#log.debug({ error }, 'the lease could not be released; it ends by itself');
      });
    });
  }

  // ---------------------------------------------------------------- the lease

  /** False: somebody else has held the key since. While the store is away nobody can. */
  async renew(): Promise<boolean> {
    const { store } = this.#deps;
    try {
      if (await store.leases.renew(this.#lease, BROADCAST_LIMITS.leaseMs)) return true;
      // It ran out while the store was away; it is still ours when nobody has held the key since.
      return await store.leases.reclaim(this.#lease, BROADCAST_LIMITS.leaseMs);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return true;
      throw error;
    }
  }
}

/** The stored broadcast while this process holds its lease: lifecycle transitions, checkpoints, lease renewal. */
import type { EndReason } from '../../lifecycle/documents.js';
import type { EncoderSetup } from '../../lifecycle/encoder-setup.js';
import { goesLiveOnPublish, type LifecycleEffect } from '../../lifecycle/lifecycle.js';
import { type Lease, type Log, StoreUnavailableError } from '../../ports/index.js';
import type { BroadcastDeps } from '../context/deps.js';
import { BROADCAST_LIMITS } from '../context/limits.js';
import type { DisconnectKind } from '../publisher/publisher.js';
import { type CheckpointSource, Checkpoints } from './checkpoints.js';
import type { LiveVideo, StateWriter } from './state-writer.js';
import { TransitionQueue, type WhyRefused } from './transition-queue.js';

export interface LeasedBroadcastOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly deps: BroadcastDeps;
  readonly states: StateWriter;
  readonly source: CheckpointSource;
  readonly log: Log;
  /** Called for each effect of a transition that the store has committed. */
  readonly onEffect: (effect: LifecycleEffect) => void;
  /** The broadcast was ended or deleted elsewhere. */
  readonly onRefused: (why: WhyRefused) => void;
  /** Another process receives the broadcast. */
  readonly onSuperseded: () => void;
}

export class LeasedBroadcast {
  readonly checkpoints: Checkpoints;
  readonly #deps: BroadcastDeps;
  readonly #lease: Lease;
  readonly #states: StateWriter;
  readonly #log: Log;
  readonly #moves: TransitionQueue;
  #live: LiveVideo;
  /** Another process has the lease: its checkpoints and states must not be overwritten. */
  #isSuperseded = false;

  constructor({ live, lease, deps, states, source, log, onEffect, onRefused, onSuperseded }: LeasedBroadcastOptions) {
    this.checkpoints = new Checkpoints(live.id, deps.store, log, source, deps.clock.monotonicMs());
    this.#deps = deps;
    this.#lease = lease;
    this.#states = states;
    this.#log = log;
    this.#live = live;
    this.#moves = new TransitionQueue({
      liveVideoId: live.id,
      known: () => this.#live,
      states,
      pause: (ms) => deps.pause(ms),
      log,
      onMoved: ({ live: moved, effects }) => {
        this.#live = moved;
        for (const effect of effects) onEffect(effect);
      },
      onRefused,
      fence: lease.fence,
      onSuperseded: () => {
        this.#isSuperseded = true;
        onSuperseded();
      },
    });
  }

  /** The last known stored version. */
  get live(): LiveVideo {
    return this.#live;
  }

  get goesLiveOnData(): boolean {
    return goesLiveOnPublish(this.#live.data);
  }

  /** Takes over a version that was written elsewhere. */
  adopt(live: LiveVideo): void {
    this.#live = live;
  }

  // ---------------------------------------------------------------- transitions, in order

  /** Resolves when the store lists the broadcast as connected. */
  begin(setup: EncoderSetup | undefined): Promise<void> {
    const input = { type: 'publish', wallMs: this.#deps.clock.wallMs(), setup, fence: this.#lease.fence } as const;
    return this.#moves.move(input);
  }

  validData(): void {
    this.#moves.move({ type: 'valid-data', wallMs: this.#deps.clock.wallMs() });
  }

  stop(reason: EndReason): void {
    this.#moves.move({ type: 'stop', wallMs: this.#deps.clock.wallMs(), reason });
  }

  /** `lastMs`: when the last packet arrived. */
  interrupt(how: DisconnectKind, { wallMs, lastMs }: { readonly wallMs: number; readonly lastMs: number }): void {
    const type = how === 'unpublished' ? 'unpublish' : 'connection-lost';
    this.#moves.move({ type, wallMs, lastMs, graceMs: this.#deps.settings.reconnectGraceMs });
  }

  /** Stores which rules were judged, for reports after the end. */
  keepJudged(codes: readonly number[]): void {
    this.#moves.after(() =>
      this.#states.keepJudged(this.#live.id, codes).catch((error: unknown) => {
        this.#log.warn({ error }, 'storing the codes of the judged rules failed');
      }),
    );
  }

  /** Runs after all queued transitions. Resolves when the stream key is free. `isLive`: save a checkpoint for resumption. */
  release(isLive: boolean): Promise<void> {
    return this.#moves.after(async () => {
      if (!this.#isSuperseded) {
        if (isLive && this.#live.data.status === 'LIVE') await this.checkpoints.save();
        await this.checkpoints.keepLast();
      }
      await this.#deps.quota.releaseSlot(this.#live.data.ownerId, this.#lease).catch((error: unknown) => {
        this.#log.debug({ error }, 'releasing the lease failed; it expires');
      });
    });
  }

  // ---------------------------------------------------------------- the lease

  /** Renews the lease. `unknown` while the store is unavailable. */
  async renew(): Promise<'held' | 'lost' | 'unknown'> {
    const { store } = this.#deps;
    try {
      if (await store.leases.renew(this.#lease, BROADCAST_LIMITS.leaseMs)) return 'held';
      // It expired during an outage of the store. It is still ours if no other process has held it since.
      if (await store.leases.reclaim(this.#lease, BROADCAST_LIMITS.leaseMs)) return 'held';
      this.#isSuperseded = true;
      return 'lost';
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 'unknown';
      throw error;
    }
  }
}

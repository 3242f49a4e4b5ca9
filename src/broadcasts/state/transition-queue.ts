/** Writes of one publication about its broadcast, in order: lifecycle transitions and the writes that follow them. */
import type { EndReason } from '../../lifecycle/documents.js';
import { DELETED, EXPIRED, type LifecycleInput } from '../../lifecycle/lifecycle.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { type LiveVideo, type Moved, requireFence, type StateWriter, SupersededError } from './state-writer.js';

const RETRY_MS = 500;

/** `undefined`: its owner ended it. */
export type WhyRefused = EndReason | 'fault' | undefined;

export interface TransitionQueueOptions {
  readonly liveVideoId: string;
  readonly states: Pick<StateWriter, 'load' | 'move'>;
  /** The last known stored version: a transition is tried on it before it is read. */
  readonly known: () => LiveVideo;
  /** Resolves with false as soon as the server shuts down. */
  readonly pause: (ms: number) => Promise<boolean>;
  readonly log: Log;
  /** The store has committed the transition. */
  readonly onMoved: (moved: Moved) => void;
  /** The broadcast was ended or deleted elsewhere. */
  readonly onRefused: (why: WhyRefused) => void;
  /** Of the lease of this publication. */
  readonly fence: number;
  /** Another process receives the broadcast. */
  readonly onSuperseded: () => void;
}

export class TransitionQueue {
  readonly #options: TransitionQueueOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: TransitionQueueOptions) {
    this.#options = options;
  }

  /** Resolves when this transition and all earlier ones have been committed or dropped. */
  move(input: LifecycleInput): Promise<void> {
    return this.after(() => this.#persist(input));
  }

  /** Runs `write` after everything queued so far. `write` must not reject. */
  after(write: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(write);
    return this.#last;
  }

  /** Retries while the store is unavailable: a decided end must not be lost. */
  async #persist(input: LifecycleInput): Promise<void> {
    const { liveVideoId, known, states, pause, log, onMoved, onRefused, fence, onSuperseded } = this.#options;
    for (;;) {
      try {
        onMoved(await states.move(liveVideoId, input, { guard: requireFence(fence), known: known() }));
        return;
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          if (await pause(RETRY_MS)) continue;
          // Shutting down without a store: the next process finds the broadcast without a holder and recovers it.
          return;
        }
        if (error instanceof SupersededError) {
          onSuperseded();
          return;
        }
        if (error instanceof ServiceError) {
          log.info({ input: input.type, error }, 'broadcast no longer allows this transition');
          onRefused(await this.#reason());
          return;
        }
        log.error({ input: input.type, error }, 'a transition of the broadcast failed');
        onRefused('fault');
        return;
      }
    }
  }

  /** Only what is stored tells it: the broadcast was ended by another process. */
  async #reason(): Promise<WhyRefused> {
    const { liveVideoId, states } = this.#options;
    try {
      const { data } = await states.load(liveVideoId);
      return data.status === 'SCHEDULED_EXPIRED' ? EXPIRED : data.endReason;
    } catch (error) {
      return error instanceof ServiceError ? DELETED : 'fault';
    }
  }
}

/** What one publication writes about its broadcast, one thing after the other: moves of its life, and what goes with them. */
import type { LifecycleInput } from '../broadcast/lifecycle.js';
import { type Log, StoreUnavailableError } from '../ports/index.js';
import type { Moved, StateWriter } from './state-writer.js';

const RETRY_MS = 500;

export interface TransitionQueueOptions {
  readonly liveVideoId: string;
  readonly states: Pick<StateWriter, 'move'>;
  /** Resolves with false at once when the server shuts down. */
  readonly pause: (ms: number) => Promise<boolean>;
  readonly log: Log;
  /** The store has it. */
  readonly onMoved: (moved: Moved) => void;
  /** Somebody else ended or deleted the broadcast meanwhile. */
  readonly onRefused: () => void;
}

export class TransitionQueue {
  readonly #options: TransitionQueueOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: TransitionQueueOptions) {
    this.#options = options;
  }

  /** Resolves when this move, and all before it, have been made or given up. */
  move(input: LifecycleInput): Promise<void> {
    return this.after(() => this.#persist(input));
  }

  /** Behind the moves asked for so far. `write` must not reject. */
  after(write: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(write);
    return this.#last;
  }

  /** Again and again while the store is away: an end that was decided must stand. */
  async #persist(input: LifecycleInput): Promise<void> {
    const { liveVideoId, states, pause, log, onMoved, onRefused } = this.#options;
    for (;;) {
      try {
        onMoved(await states.move(liveVideoId, input));
        return;
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          if (await pause(RETRY_MS)) continue;
          // Shutting down without a store: the next process finds the broadcast without a holder and goes on from there.
          return;
        }
        log.info({ input: input.type, error }, 'the broadcast took no such move any more');
        onRefused();
        return;
      }
    }
  }
}

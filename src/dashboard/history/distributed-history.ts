/**
 * The history as the web process reads it: saved points from the store, and the samples that the processes that receive
 * streams have not saved yet.
 */
import type { Store } from '../../ports/index.js';
import { type Sample, type Series, withSamples } from '../view/health-series.js';
import { SeriesStore } from './series-store.js';

/** Samples that one process took of a broadcast since its last save. */
export interface UnsavedSamples {
  /** Saves so far: a change shows that samples moved to the store. */
  readonly saves: number;
  readonly samples: readonly Sample[];
}

/** Asks all processes that receive streams; one that does not receive the broadcast answers with null. */
export type AskUnsaved = (liveVideoId: string) => Promise<readonly (UnsavedSamples | null)[]>;

/** A save happens once a minute, so the second attempt succeeds. */
const ATTEMPTS = 3;

export class DistributedHistory {
  readonly #series: SeriesStore;
  readonly #ask: AskUnsaved;

  constructor(store: Store, ask: AskUnsaved) {
    this.#series = new SeriesStore(store);
    this.#ask = ask;
  }

  /** Without an answer in time: up to the last save. */
  async read(liveVideoId: string): Promise<Series> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.#unsaved(liveVideoId);
      const stored = await this.#series.read(liveVideoId);
      if (before === undefined) return stored;
      const after = await this.#unsaved(liveVideoId);
      // Otherwise a save came between, and the samples may be both in `stored` and in an answer, or in neither.
      if (after?.saves === before.saves) return withSamples(stored, after.samples);
      if (attempt === ATTEMPTS) return stored;
    }
  }

  /** An encoder that reconnects may leave samples in two processes. */
  async #unsaved(liveVideoId: string): Promise<UnsavedSamples | undefined> {
    const held = (await this.#ask(liveVideoId)).filter((each) => each !== null);
    if (held.length === 0) return undefined;
    return {
      saves: held.reduce((sum, { saves }) => sum + saves, 0),
      samples: held.flatMap(({ samples }) => samples).sort((left, right) => left.atMs - right.atMs),
    };
  }
}

/**
 * Error records that one process sent to an encoder and another one reads. Each ingest process has its own journal; the
 * process that serves HTTP asks all of them before it reads.
 */
import type { Calls } from './calls.js';
import { type IngestCalls, RECORDS_STORED_MS } from './contract.js';

/** The part of a journal that is used here. */
export interface StoringJournal {
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined;
}

interface Turn {
  readonly broadcastIds: Set<string>;
  readonly answer: Promise<unknown>;
}

export class StoredRecords {
  readonly #calls: Calls;
  /** One call for each turn of the event loop: under full load, each takes the ingest process as long as a packet. */
  #turn: Turn | undefined;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Resolves when the store has all records that were sent to the encoder until now, or after a timeout. */
  stored(broadcastId: string): Promise<unknown> {
    this.#turn ??= this.#nextTurn();
    this.#turn.broadcastIds.add(broadcastId);
    return this.#turn.answer;
  }

  #nextTurn(): Turn {
    const broadcastIds = new Set<string>();
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turn = undefined;
      return this.#calls.askAll('ingest', 'storedRecords', [...broadcastIds]);
    });
    return { broadcastIds, answer };
  }
}

/** In an ingest process. */
export async function storedRecords(
  journal: StoringJournal,
  broadcastIds: Parameters<IngestCalls['storedRecords']>[0],
): Promise<boolean> {
  const waits = broadcastIds.flatMap((id) => journal.stored(id, RECORDS_STORED_MS) ?? []);
  return (await Promise.all(waits)).every(Boolean);
}

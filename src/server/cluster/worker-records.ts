/**
 * Error records that one process sent to an encoder and another one reads. Each ingest process has its own journal; the
 * process that serves HTTP queries all of them before it reads.
 */
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';

export const RECORDS_SUBJECT = 'recordsOf';

/** The query is a broadcast ID; the response states whether the store has its records. */
export type RecordsChannel = AskChannel<string, boolean>;

/** The part of a journal that is used here. */
export interface StoringJournal {
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined;
}

export class WorkerRecords {
  readonly #ask: (broadcastId: string) => Promise<unknown>;
  /** Queries for the same broadcast are coalesced within one turn of the event loop. */
  readonly #ofThisTurn = new Map<string, Promise<unknown>>();

  constructor(channel: RecordsChannel, timeoutMs: number) {
    this.#ask = askWorkers(channel, timeoutMs);
  }

  /** Resolves when the store has all records that were sent to the encoder until now, or after a timeout. */
  stored(broadcastId: string): Promise<unknown> {
    const asked = this.#ofThisTurn.get(broadcastId);
    if (asked !== undefined) return asked;
    const answer = this.#ask(broadcastId);
    if (this.#ofThisTurn.size === 0) setImmediate(() => this.#ofThisTurn.clear());
    this.#ofThisTurn.set(broadcastId, answer);
    return answer;
  }
}

/** In an ingest process: answers once the store has every record of the broadcast that the journal holds. */
export function answerStoredQueries(link: RoleLink, journal: StoringJournal, timeoutMs: number): void {
  const stored = (broadcastId: string) => journal.stored(broadcastId, timeoutMs) ?? true;
  answerQuestions<string, boolean>(link, RECORDS_SUBJECT, stored);
}

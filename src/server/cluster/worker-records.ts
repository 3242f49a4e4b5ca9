/**
 * Error records that one process sent to an encoder and another one reads. Each ingest process has its own journal; the
 * process that serves HTTP queries all of them before it reads.
 */
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';

export const RECORDS_SUBJECT = 'recordsOf';

/** The query is broadcast IDs; the response comes when the store has their records, or a timeout has passed. */
export type RecordsChannel = AskChannel<readonly string[], boolean>;

/** The part of a journal that is used here. */
export interface StoringJournal {
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined;
}

interface Turn {
  readonly broadcastIds: Set<string>;
  readonly answer: Promise<unknown>;
}

export class WorkerRecords {
  readonly #ask: (broadcastIds: readonly string[]) => Promise<unknown>;
  /** One query for each turn of the event loop: under full load, each takes the ingest process as long as a packet. */
  #turn: Turn | undefined;

  constructor(channel: RecordsChannel, timeoutMs: number) {
    this.#ask = askWorkers(channel, timeoutMs);
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
      return this.#ask([...broadcastIds]);
    });
    return { broadcastIds, answer };
  }
}

/** In an ingest process: answers once the store has every record of the broadcasts that the journal holds. */
export function answerStoredQueries(link: RoleLink, journal: StoringJournal, timeoutMs: number): void {
  const stored = async (broadcastIds: readonly string[]): Promise<boolean> => {
    const waits = broadcastIds.flatMap((id) => journal.stored(id, timeoutMs) ?? []);
    return (await Promise.all(waits)).every(Boolean);
  };
  answerQuestions<readonly string[], boolean>(link, RECORDS_SUBJECT, stored);
}

/**
 * Error records that an encoder was told by one process and that somebody reads by way of another. Each ingest process
 * has a journal of its own: the one that serves HTTP asks all of them before it reads.
 */
import { channelToFirst, type WorkerChannel } from './workers.js';

/** `recordsOf`: the number of the question. */
export interface RecordsQuestion {
  readonly recordsOf: number;
  readonly broadcastId: string;
}
export type RecordsAnswer = Pick<RecordsQuestion, 'recordsOf'>;

/** A journal, as far as it is asked here. */
export interface StoringJournal {
  stored(broadcastId: string, timeoutMs: number): Promise<boolean> | undefined;
}

interface Question {
  /** Who has not answered yet. */
  readonly missing: Set<number>;
  readonly done: () => void;
}

export class WorkerRecords {
  readonly #channel: Pick<WorkerChannel<RecordsQuestion, RecordsAnswer>, 'ids' | 'sendAll'>;
  readonly #timeoutMs: number;
  readonly #questions = new Map<number, Question>();
  /** Those of this turn: they are one question to whoever asks again. */
  readonly #ofThisTurn = new Map<string, Promise<void>>();
  #lastNumber = 0;

  constructor(channel: WorkerChannel<RecordsQuestion, RecordsAnswer>, timeoutMs: number) {
    this.#channel = channel;
    this.#timeoutMs = timeoutMs;
    channel.onMessage((id, { recordsOf }) => this.#answered(recordsOf, id));
    channel.onGone((id) => {
      for (const number of [...this.#questions.keys()]) this.#answered(number, id);
    });
  }

  /** Resolves when the store has what the processes told the encoder until now, or when that took too long. */
  stored(broadcastId: string): Promise<void> {
    const asked = this.#ofThisTurn.get(broadcastId);
    if (asked !== undefined) return asked;
    const answer = this.#ask(broadcastId);
    if (this.#ofThisTurn.size === 0) setImmediate(() => this.#ofThisTurn.clear());
    this.#ofThisTurn.set(broadcastId, answer);
    return answer;
  }

  async #ask(broadcastId: string): Promise<void> {
    const missing = new Set(this.#channel.ids());
    if (missing.size === 0) return;
    this.#lastNumber++;
    const number = this.#lastNumber;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#questions.delete(number);
        resolve();
      };
      const timer = setTimeout(done, this.#timeoutMs);
      this.#questions.set(number, { missing, done });
      this.#channel.sendAll({ recordsOf: number, broadcastId });
    });
  }

  #answered(number: number, id: number): void {
    const question = this.#questions.get(number);
    if (question === undefined) return;
    question.missing.delete(id);
    if (question.missing.size === 0) question.done();
  }
}

/** In a process that only receives: answers when its journal has nothing of the broadcast on its way any more. */
export function answerStoredQueries(journal: StoringJournal, timeoutMs: number): void {
  const send = channelToFirst<RecordsQuestion, RecordsAnswer>('recordsOf', ({ recordsOf, broadcastId }) => {
    const answer = () => send({ recordsOf });
    const underWay = journal.stored(broadcastId, timeoutMs);
    if (underWay === undefined) answer();
    else void underWay.then(answer);
  });
}

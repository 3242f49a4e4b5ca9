/** What several ingest processes count, asked of each when somebody reads the metrics. */

import type { WorkerChannel } from '../cluster/workers.js';
import { addSnapshots, EMPTY_SNAPSHOT, type MetricsSnapshot, totalsOf } from './snapshot.js';

/** `metrics`: the number of the question. */
export interface MetricsQuestion {
  readonly metrics: number;
}
export interface MetricsAnswer extends MetricsQuestion {
  readonly snapshot: MetricsSnapshot;
}

/** A process whose packets keep it that long is shown as it was the last time. */
const ANSWER_MS = 1_000;

export class WorkerMetrics {
  readonly #channel: Pick<WorkerChannel<MetricsQuestion, MetricsAnswer>, 'ids' | 'sendAll'>;
  readonly #last = new Map<number, MetricsSnapshot>();
  /** Totals of processes that have ended. What one counted after its last answer is lost with it. */
  #past = EMPTY_SNAPSHOT;
  #question = 0;
  #missing = new Set<number>();
  #answered: (() => void) | undefined;

  constructor(channel: WorkerChannel<MetricsQuestion, MetricsAnswer>) {
    this.#channel = channel;
    channel.onMessage((id, answer) => this.#onAnswer(id, answer));
    channel.onGone((id) => this.#onGone(id));
  }

  /** The sum over all that run and ran. One question at a time: who asks again waits for the next. */
  async collect(): Promise<MetricsSnapshot> {
    this.#answered?.();
    this.#question++;
    this.#missing = new Set(this.#channel.ids());
    if (this.#missing.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ANSWER_MS);
        this.#answered = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#channel.sendAll({ metrics: this.#question });
      });
    }
    return addSnapshots([this.#past, ...this.#last.values()]);
  }

  #onAnswer(id: number, { metrics, snapshot }: MetricsAnswer): void {
    this.#last.set(id, snapshot);
    if (metrics === this.#question) this.#settle(id);
  }

  #onGone(id: number): void {
    const last = this.#last.get(id);
    this.#last.delete(id);
    if (last !== undefined) this.#past = addSnapshots([this.#past, totalsOf(last)]);
    this.#settle(id);
  }

  #settle(id: number): void {
    this.#missing.delete(id);
    if (this.#missing.size === 0) this.#answered?.();
  }
}

/** Collects the counts of several processes when the metrics are read. */
import { type AskChannel, askWorkers } from '../cluster/ask-workers.js';
import { addSnapshots, EMPTY_SNAPSHOT, type MetricsSnapshot, totalsOf } from './snapshot.js';

export const METRICS_SUBJECT = 'metrics';

/** The question is empty. */
export type MetricsChannel = AskChannel<null, MetricsSnapshot>;

/** A process that does not answer in this time is shown with its last answer. */
const ANSWER_MS = 1_000;

export class WorkerMetrics {
  readonly #ask: (question: null) => Promise<unknown>;
  readonly #last = new Map<number, MetricsSnapshot>();
  /** Totals of processes that have ended. What one counted after its last answer is lost with it. */
  #past = EMPTY_SNAPSHOT;

  constructor(channel: MetricsChannel) {
    this.#ask = askWorkers(channel, ANSWER_MS, (id, snapshot) => this.#last.set(id, snapshot));
    channel.onGone((id) => this.#onGone(id));
  }

  /** The sum over all processes that run or ran. */
  async collect(): Promise<MetricsSnapshot> {
    await this.#ask(null);
    return addSnapshots([this.#past, ...this.#last.values()]);
  }

  #onGone(id: number): void {
    const last = this.#last.get(id);
    this.#last.delete(id);
    if (last !== undefined) this.#past = addSnapshots([this.#past, totalsOf(last)]);
  }
}

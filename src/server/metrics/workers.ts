/** Collects the counts of several processes when the metrics are read. */
import { type AskChannel, askWorkers } from '../cluster/ask-workers.js';
import { addSnapshots, EMPTY_SNAPSHOT, type MetricsSnapshot, totalsOf } from './snapshot.js';

export const METRICS_SUBJECT = 'metrics';

/** The question is empty. */
export type MetricsChannel = AskChannel<null, MetricsSnapshot>;

/** If a process does not respond within this time, its last response is used. */
const ANSWER_MS = 1_000;

export class WorkerMetrics {
  readonly #ask: (question: null) => Promise<unknown>;
  readonly #last = new Map<number, MetricsSnapshot>();
  /** Totals of ended processes. Counts after the last response of a process are lost. */
  #past = EMPTY_SNAPSHOT;

  constructor(channel: MetricsChannel) {
    this.#ask = askWorkers(channel, ANSWER_MS, (id, snapshot) => this.#last.set(id, snapshot));
    channel.onGone((id) => this.#onGone(id));
  }

  /** The sum over all running and ended processes. */
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

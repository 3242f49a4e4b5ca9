/** The sum of the metrics of several processes, in the web process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counts, Values } from './process-metrics.js';
import { METRICS, type MetricName } from './rows.js';

/** One value stands for several processes. */
export function sum(all: readonly Values[]): Values {
  const sums: Record<string, number | Counts> = {};
  for (const { name, sum: how } of METRICS) {
    const combine = how === 'highest' ? Math.max : (a: number, b: number) => a + b;
    const given = all.map((values) => values[name]).filter((value) => value !== undefined);
    if (given.length > 0) sums[name] = given.reduce((left, right) => combined(left, right, combine));
  }
  return sums;
}

/** Totals of a process that has ended: a total that shrinks would look like a restart. */
export function totalsOf(values: Values): Values {
  const counters = METRICS.filter(({ kind }) => kind === 'counter').map(({ name }) => name);
  return Object.fromEntries(counters.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

export function numberOf(values: Values, name: MetricName): number {
  const value = values[name];
  return typeof value === 'number' ? value : 0;
}

export function countsOf(values: Values, name: MetricName): Counts {
  const value = values[name];
  return typeof value === 'object' ? value : {};
}

function combined(
  left: number | Counts,
  right: number | Counts,
  combine: (a: number, b: number) => number,
): number | Counts {
  if (typeof left === 'number') return typeof right === 'number' ? combine(left, right) : left;
  if (typeof right === 'number') return left;
  const counts: Record<string, number> = { ...left };
  for (const [key, value] of Object.entries(right)) counts[key] = combine(counts[key] ?? 0, value);
  return counts;
}

/** The other processes of the server. */
export interface MeteredProcesses {
  /** Those that run now. */
  ids(): readonly number[];
  /** Resolves with undefined if the process does not answer. */
  values(id: number): Promise<Values | undefined>;
}

/** If a process does not respond within this time, its last response is used. */
const ANSWER_MS = 1_000;

export class WorkerMetrics {
  readonly #processes: MeteredProcesses;
  readonly #last = new Map<number, Values>();
  /** Totals of ended processes. Counts after the last response of a process are lost. */
  #past: Values = {};

  constructor(processes: MeteredProcesses) {
    this.#processes = processes;
  }

  /** The sum over all running and ended processes. */
  async collect(): Promise<Values> {
    const late = new AbortController();
    const all = Promise.all(this.#processes.ids().map((id) => this.#read(id)));
    await Promise.race([all, sleep(ANSWER_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    this.#addEnded();
    return sum([this.#past, ...this.#last.values()]);
  }

  async #read(id: number): Promise<void> {
    const values = await this.#processes.values(id);
    if (values !== undefined) this.#last.set(id, values);
  }

  #addEnded(): void {
    const running = new Set(this.#processes.ids());
    for (const [id, last] of this.#last) {
      if (running.has(id)) continue;
      this.#last.delete(id);
      this.#past = sum([this.#past, totalsOf(last)]);
    }
  }
}

/** Accounting of one call while it reads and renders, and its abort condition. */
import { ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import type { Cost, QueryBudget } from './budget.js';
import type { LoopTurns } from './turns.js';

export interface WorkParts {
  readonly budget: QueryBudget;
  readonly turns: LoopTurns;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

const NOTHING: Cost = { rows: 0, path: [] };

export class CallWork {
  readonly budget: QueryBudget;
  readonly turns: LoopTurns;
  readonly #isGone: () => boolean;
  #reserved = NOTHING;
  #rows = 0;
  #hasEnded = false;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ budget, turns, isGone }: WorkParts) {
    this.budget = budget;
    this.turns = turns;
    this.#isGone = isGone;
  }

  /** @throws ServiceError 100 when the rows exceed the budget of the request */
  async reserve(cost: Cost): Promise<void> {
    if (cost.rows > 0) await this.budget.reserve(cost);
    this.#reserved = cost;
  }

  /** Called when the call was answered, failed or abandoned. Reads still in flight start no further ones. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.budget.release(this.#reserved, Math.min(this.#rows, this.#reserved.rows));
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Whether the call has ended or its client has disconnected. */
  get isOver(): boolean {
    return this.#hasEnded || this.#isGone();
  }

  /** @throws ServiceError once the call has ended or its client has disconnected */
  check(): void {
    if (this.isOver) throw requestAbandoned();
  }

  /** Whether the response is large, and memory or the next slice has to be waited for. */
  get mustWait(): boolean {
    return !this.budget.isSmall && (this.budget.isLarge || this.turns.isOver());
  }

  /** Waits before a row is rendered while the slice of a large response is used up. @throws as `check` */
  async turn(): Promise<void> {
    this.check();
    if (this.budget.isSmall || !this.turns.isOver()) return;
    await this.turns.next();
    this.check();
  }

  /**
   * Waits before more is read, also for the memory of a large response, so it can be refused. Not for a write that is done:
   * its client would send it again.
   */
  async admission(): Promise<void> {
    this.check();
    await this.budget.memory();
    await this.turn();
  }

  /** Runs a list read, with at most `listReads` of this call in flight. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reading >= API_LIMITS.listReads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    // A slot is held from here on, either new or passed on by the read that ended.
    try {
      await this.admission();
      return await read();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading -= 1;
    }
  }

  addRows(count: number): void {
    this.#rows += count;
  }

  addValues(count: number): void {
    this.budget.addValues(count);
  }

  /** @throws ServiceError 1 once the response is too large */
  addBytes(bytes: number): void {
    this.budget.addBytes(bytes);
  }
}

function requestAbandoned(): ServiceError {
  return new ServiceError({
    code: 1,
    type: 'OAuthException',
    status: 400,
    message: '(#1) The request was abandoned',
    isTransient: true,
  });
}

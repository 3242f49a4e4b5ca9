/** What one call spends while it reads and renders, and the point at which it stops. */
import { ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import type { Cost, QueryBudget } from './budget.js';
import type { LoopTurns } from './turns.js';

export interface WorkParts {
  readonly budget: QueryBudget;
  readonly turns: LoopTurns;
  /** The client has gone. */
  readonly isGone: () => boolean;
}

export class CallWork {
  readonly budget: QueryBudget;
  readonly turns: LoopTurns;
  readonly #isGone: () => boolean;
  #reserved = 0;
  #rows = 0;
  #hasEnded = false;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ budget, turns, isGone }: WorkParts) {
    this.budget = budget;
    this.turns = turns;
    this.#isGone = isGone;
  }

  /** @throws ServiceError 100 when the request has no room for so many rows */
  async reserve(cost: Cost): Promise<void> {
    if (cost.rows === 0) return;
    await this.budget.reserve(cost);
    this.#reserved = cost.rows;
  }

  /** Answered, failed or given up: reads of it that still run begin no others. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.budget.release(this.#reserved, Math.min(this.#rows, this.#reserved));
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** It has ended, or its client has gone. */
  get isOver(): boolean {
    return this.#hasEnded || this.#isGone();
  }

  /** @throws ServiceError once the call has ended or its client has gone */
  check(): void {
    if (this.isOver) throw givenUp();
  }

  /** What must be waited for before a row is rendered; `undefined`: nothing. @throws as `check` */
  turn(): Promise<void> | undefined {
    this.check();
    // Small answers are done within a slice, and wait for no large one.
    if (this.#reserved <= API_LIMITS.rowsUnsliced || !this.turns.isOver()) return undefined;
    return this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await this.turns.next();
    this.check();
  }

  /** Runs the read of a list when few enough others of this call run. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reading >= API_LIMITS.listReads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    // From here on one of the places is held, handed on by the read that ended.
    try {
      await this.turn();
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

  /** @throws ServiceError 1 once the answer is too large */
  addBytes(bytes: number): void {
    this.budget.addBytes(bytes);
  }
}

function givenUp(): ServiceError {
  return new ServiceError({
    code: 1,
    type: 'OAuthException',
    status: 400,
    message: '(#1) The request was given up',
    isTransient: true,
  });
}

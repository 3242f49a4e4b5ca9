/**
 * Accounts for the memory of large responses, from rendering until the client has read them. A request reserves the size of
 * the largest response. Without memory it waits, in FIFO order; requests that wait for others of their holder are passed.
 */
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import type { AnswerMemory } from '../graph/budget.js';
import { ByteBudget, type ByteShare } from './body-budget.js';

export class LargeAnswers {
  readonly #budget = new ByteBudget(API_LIMITS.largeAnswers);
  readonly #waiting = new Map<LargeAnswer, () => void>();

  get held(): number {
    return this.#budget.held;
  }

  /** `holderOf`: the owner of the token, or the client's address group; called when the response becomes large. */
  open(holderOf: () => string): LargeAnswer {
    return new LargeAnswer(this, () => this.#budget.open(holderOf()));
  }

  /** @throws ServiceError 2 when the wait takes too long */
  wait(answer: LargeAnswer): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(answer);
        reject(tooMany());
      }, API_LIMITS.largeAnswerWaitMs);
      this.#waiting.set(answer, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Call when memory was released. */
  resume(): void {
    for (const [answer, resume] of this.#waiting) {
      if (!answer.take()) continue;
      this.#waiting.delete(answer);
      resume();
    }
  }
}

/** The memory of one request's response. */
export class LargeAnswer implements AnswerMemory {
  readonly #all: LargeAnswers;
  readonly #open: () => ByteShare;
  #share: ByteShare | undefined;
  #admitted: Promise<void> | undefined;
  #hasEnded = false;

  constructor(all: LargeAnswers, open: () => ByteShare) {
    this.#all = all;
    this.#open = open;
  }

  async reserve(): Promise<void> {
    if (this.#share !== undefined && this.#share.bytes > 0) return;
    if (this.#admitted === undefined && this.take()) return;
    this.#admitted ??= this.#all.wait(this);
    await this.#admitted;
  }

  /** Whether the memory of the largest response could be reserved, or is no longer needed. */
  take(): boolean {
    if (this.#hasEnded) return true;
    this.#share ??= this.#open();
    return this.#share.take(API_LIMITS.answerBytes) === undefined;
  }

  /** Keeps the bytes of the response until the client has read it, or its time is over. Call when all of it was written. */
  keepUntilRead(response: ServerResponse, bytes: number): void {
    const held = this.#share?.bytes ?? 0;
    if (held === 0 || response.destroyed) {
      this.release();
      return;
    }
    this.#share?.take(Math.min(bytes - held, 0));
    this.#all.resume();
    const timer = setTimeout(() => response.destroy(), API_LIMITS.largeAnswerReadMs);
    response.once('close', () => {
      clearTimeout(timer);
      this.release();
    });
  }

  release(): void {
    const isHeld = this.#share !== undefined || this.#admitted !== undefined;
    this.#hasEnded = true;
    this.#share?.release();
    this.#share = undefined;
    if (isHeld) this.#all.resume();
  }
}

function tooMany(): ServiceError {
  return new ServiceError({
    code: 2,
    type: 'OAuthException',
    status: 503,
    message: '(#2) Too many concurrent large responses; try again',
    isTransient: true,
    data: { retry_after_s: 1 },
    audit: 'limit reached: memory of large responses',
  });
}

/** Authenticates the sender of a body: before reading if the token is in the query or a header, else from its field. */

import { tokenRequiredFirst } from '../access/faults.js';
import type { TokenReader } from '../access/tokens.js';
import { API_LIMITS } from '../context/limits.js';
import type { CallToken } from '../graph/call.js';
import { noParams, type RawParams } from '../params/raw.js';
import type { RequestMemory } from './body-memory.js';
import { tokenOf } from './call-of.js';

export interface SenderDeps {
  readonly tokens: TokenReader;
  readonly query: RawParams;
  readonly authorization: string | undefined;
  readonly memory: RequestMemory;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #deadline: Deadline;
  #verified: string | undefined;
  #missed: ((error: unknown) => void) | undefined;

  constructor(deps: SenderDeps, textMs: number = API_LIMITS.anonymousTextMs) {
    this.#deps = deps;
    this.#deadline = new Deadline(textMs, () => this.#missed?.(tokenRequiredFirst(`within ${textMs / 1000} s`)));
  }

  /** `fail` is called when no valid token arrives in time. */
  onTimeout(fail: (error: unknown) => void): void {
    this.#missed = fail;
  }

  /** Whether a valid token has arrived. @throws ServiceError 190 for an invalid one */
  async verify(fields: RawParams = noParams()): Promise<boolean> {
    const token = this.tokenOf(fields);
    if (token === undefined) return false;
    if (token.value === this.#verified) return true;
    const { ownerId } = await this.#deps.tokens.read(token.value);
    if (this.#verified === undefined) this.#deps.memory.transferTo(ownerId);
    this.#verified = token.value;
    this.#deadline.cancel();
    return true;
  }

  tokenOf(fields: RawParams): CallToken | undefined {
    return tokenOf(this.#deps.query, fields, this.#deps.authorization);
  }

  /** Extends the deadline: a file that precedes the token takes longer than text. */
  expectFile(): void {
    this.#deadline.extendTo(API_LIMITS.anonymousFileMs);
  }

  /** Call at the end of the body. */
  close(): void {
    this.#deadline.cancel();
  }
}

/** A deadline that can be extended or canceled. */
class Deadline {
  readonly #startMs = performance.now();
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `ms` from now. */
  constructor(ms: number, onTimeout: () => void) {
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(onTimeout, ms);
  }

  /** Moves the deadline to `ms` after its start. No effect once canceled. */
  extendTo(ms: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, Math.max(0, ms - (performance.now() - this.#startMs)));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

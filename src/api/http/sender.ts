/** Who sends a body: known before it is read where the token is in the address or a header, else once its field has come. */

import { tokenRequiredFirst } from '../access/faults.js';
import type { TokenReader } from '../access/tokens.js';
import { API_LIMITS } from '../context/limits.js';
import type { CallToken } from '../graph/call.js';
import { noParams, type RawParams } from '../params/raw.js';
import type { RequestMemory } from './body-memory.js';
import { tokenOf } from './call-of.js';
import { Deadline } from './deadline.js';

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

  /** Called when no valid token has come in time. */
  onMissed(fail: (error: unknown) => void): void {
    this.#missed = fail;
  }

  /** Answers whether a valid token is there. @throws ServiceError 190 for a bad one */
  async verify(fields: RawParams = noParams()): Promise<boolean> {
    const token = this.tokenOf(fields);
    if (token === undefined) return false;
    if (token.value === this.#verified) return true;
    const { ownerId } = await this.#deps.tokens.read(token.value);
    if (this.#verified === undefined) this.#deps.memory.transferTo(ownerId);
    this.#verified = token.value;
    this.#deadline.lift();
    return true;
  }

  tokenOf(fields: RawParams): CallToken | undefined {
    return tokenOf(this.#deps.query, fields, this.#deps.authorization);
  }

  /** A file goes to the disk before the token: it may take longer than text. */
  sendsFile(): void {
    this.#deadline.putOffTo(API_LIMITS.anonymousFileMs);
  }

  /** The body is over. */
  close(): void {
    this.#deadline.lift();
  }
}

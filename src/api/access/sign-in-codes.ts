/**
 * One-time codes of sign-in links. A code is valid for minutes and once; the process keeps its hash only, so that a restart
 * of the process ends all codes.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const SIGN_IN = {
  /** The link is printed on a terminal, at the start or by `airlock sign-in`, and used from there. */
  codeMs: 15 * 60_000,
  /** The longest life of a session. */
  tokenMs: 7 * 24 * 3_600_000,
  /** A start and each `airlock sign-in` issue one; beyond this, the oldest is dropped. */
  codes: 16,
} as const;

const CODE_BYTES = 32;

export const signInLink = (dashboardUrl: string, code: string): string => `${dashboardUrl}#/sign-in/${code}`;

/** Identity that a code signs in. */
export interface SignInFor {
  readonly ownerId: string;
  /** The token also reads the broadcasts of all owners and the state of the server. */
  readonly readsAll: boolean;
}

interface Held {
  readonly hash: Buffer;
  readonly signsIn: SignInFor;
  readonly untilMs: number;
}

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest();

export class SignInCodes {
  readonly #nowMs: () => number;
  #held: readonly Held[] = [];

  /** `nowMs`: a monotonic clock, so that a wall clock that is set back extends nothing. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  issue(signsIn: SignInFor): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const made = { hash: hashOf(code), signsIn, untilMs: this.#nowMs() + SIGN_IN.codeMs };
    this.#held = [...this.#held.slice(1 - SIGN_IN.codes), made];
    return code;
  }

  /** Redeems the code once and returns its identity. Takes equally long for every wrong code. */
  redeem(code: string): SignInFor | undefined {
    const hash = hashOf(code);
    const found = this.#held.filter((each) => timingSafeEqual(each.hash, hash))[0];
    this.#held = this.#held.filter((each) => each !== found && each.untilMs > this.#nowMs());
    return found === undefined || found.untilMs <= this.#nowMs() ? undefined : found.signsIn;
  }
}

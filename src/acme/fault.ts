/** Why no certificate was issued. */
import { isRecord } from '../lib/objects.js';
import { ACME_LIMITS } from './limits.js';

const PREFIX = 'urn:ietf:params:acme:error:';

export class AcmeError extends Error {
  override readonly name = 'AcmeError';
  readonly code = 'ACME';
  /** The type of the problem without its prefix (RFC 8555 6.7), or `unreachable`. */
  readonly problem: string;
  /** The authority asks for a pause of at least this long. */
  readonly retryAfterMs: number;

  constructor(problem: string, detail: string, retryAfterMs = 0) {
    super(detail.slice(0, ACME_LIMITS.detailCharacters));
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The problem in an answer of the authority: of the answer itself, of an order, or of a challenge. */
export function problemIn(answer: unknown): { readonly problem: string; readonly detail: string } | undefined {
  if (!isRecord(answer)) return undefined;
  const { type, detail, error, challenges } = answer;
  if (typeof type === 'string' && type.startsWith(PREFIX))
    return { problem: type.slice(PREFIX.length), detail: typeof detail === 'string' ? detail : '' };
  if (Array.isArray(challenges)) {
    for (const challenge of challenges) {
      const found = problemIn(challenge);
      if (found !== undefined) return found;
    }
  }
  return error === undefined ? undefined : problemIn(error);
}

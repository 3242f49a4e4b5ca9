/** One error of the catalogue in full. */
import type { Explanation } from '../check/explain.js';
import { type Bounds, coreFor } from './cores.js';
import { AirlockError } from './error.js';

/**
 * The meaning of an error, when it is raised and cleared, and what to change in which encoder.
 * @param error its code (6208) or type (`KEY_FRAME_INTERVAL_TOO_LONG`)
 * @param options `spec`: bounds whose numbers the texts shall name
 * @throws AirlockError UNKNOWN_ERROR, BAD_SPEC
 */
export function explain(error: number | string, options: { readonly spec?: Bounds | undefined } = {}): Explanation {
  const explanation = coreFor(options.spec).explained(error);
  if (explanation !== undefined) return explanation;
  throw new AirlockError('UNKNOWN_ERROR', `${error} is neither the code nor the type of an error`);
}

/** Additions of the specification in force to records and rules. */
import { type Condition, houseSpec } from './house.js';

/** The part of a record that names the specification; empty for the published one. */
export const JUDGED_BY: { readonly spec?: string } = judgedBy(houseSpec()?.name);

/** The published document has none. */
export const CONDITIONS: readonly Condition[] = houseSpec()?.conditions ?? [];

function judgedBy(name: string | undefined): { readonly spec?: string } {
  return name === undefined ? {} : { spec: name };
}

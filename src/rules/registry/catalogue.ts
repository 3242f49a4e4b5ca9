/**
 * The error catalogue: one row for each fault of a stream or an uploaded file, from the rules. Codes are an interface: none
 * is ever given to another fault. error_subcodes and permission errors of requests are in `spec/service-errors.ts`.
 */
import type { CatalogueEntry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';
import { FILE_RULES, LIVE_RULES, SERVICE_RULES } from './rules.js';

const RULES: readonly Rule[] = [...LIVE_RULES, ...SERVICE_RULES, ...FILE_RULES].sort(
  (a, b) => a.entry.code - b.entry.code,
);
const BY_CODE: ReadonlyMap<number, Rule> = new Map(RULES.map((rule) => [rule.entry.code, rule]));

/** All rows, by code. */
export const CATALOGUE: readonly CatalogueEntry[] = RULES.map(({ entry }) => entry);

/** The row of a code. Throws for a code that the catalogue does not have: that is a fault of this program. */
export function catalogueEntry(code: number): CatalogueEntry {
  const rule = BY_CODE.get(code);
  if (rule === undefined) throw new Error(`the error catalogue has no code ${code}`);
  return rule.entry;
}

/** What to change, for any encoder; '' for a code that the catalogue does not have. */
export function generalRemedy(code: number): string {
  return BY_CODE.get(code)?.remedy ?? '';
}

/**
 * The error catalogue, derived from the rules: one row per fault of a stream or an uploaded file. Codes are an interface
 * and are never reused. Errors of requests are in `spec/service-errors.ts`.
 */
import type { CatalogueEntry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';
import { FILE_RULES, LIVE_RULES, SERVICE_RULES } from './rules.js';

const RULES: readonly Rule[] = [...LIVE_RULES, ...SERVICE_RULES, ...FILE_RULES].sort(
  (a, b) => a.entry.code - b.entry.code,
);
const BY_CODE: ReadonlyMap<number, Rule> = new Map(RULES.map((rule) => [rule.entry.code, rule]));

/** All rows, in code order. */
export const CATALOGUE: readonly CatalogueEntry[] = RULES.map(({ entry }) => entry);

/** The row of a code. Throws for an unknown code, which is a programming error. */
export function catalogueEntry(code: number): CatalogueEntry {
  const rule = BY_CODE.get(code);
  if (rule === undefined) throw new Error(`the error catalogue has no code ${code}`);
  return rule.entry;
}

/** The remedy for any encoder; '' for an unknown code. */
export function generalRemedy(code: number): string {
  return BY_CODE.get(code)?.remedy ?? '';
}

/** Codes of the causes: they explain other records. */
export const CAUSE_CODES: readonly number[] = CATALOGUE.flatMap(({ code, explains }) =>
  explains === undefined ? [] : [code],
);

/** Whether a record of `cause` explains one of `code`. */
export function explains(cause: number, code: number): boolean {
  return catalogueEntry(cause).explains?.includes(catalogueEntry(code).type) === true;
}

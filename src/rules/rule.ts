/** What a rule is. Rules read facts and the specification, never bytes, and keep no state. */
import type { FileFacts } from '../facts/file-facts.js';
import type { PacketFacts } from '../facts/packet-facts.js';
import type { StreamFacts } from '../facts/stream-facts.js';
import type { Observed, Severity } from '../spec/error-record.js';
import type { CatalogueEntry } from './catalogue-entry.js';

/** The events say nothing about this rule. */
export const SKIP = 0;
/** It cannot be judged now: how long it failed or passed before does not add up with what comes. */
export const UNKNOWN = 1;
/** Passes so far, but there is not enough data to call it judged. */
export const PASS_SO_FAR = 2;
export const PASS = 3;
/** Passes, and an open record is over at once, whatever its clearing says. */
export const PASS_NOW = 4;
/** Fails; raised when it has failed for as long, or as often, as `raiseAfter` says. */
export const FAIL = 5;
export const FAIL_NOW = 6;

export type Outcome = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** What all rules have. A rule without a check is for a fault that the service observes, not a packet. */
export interface Rule {
  /** Its row of the catalogue. */
  readonly entry: CatalogueEntry;
  /** What to change, for any encoder; `remedies/` has the words of each. The first sentence stands alone. */
  readonly remedy: string;
}

/** A rule of the live broadcast specification. */
export interface LiveRule extends Rule {
  /** Events on which it is checked. */
  readonly events: number;
  /** For how long on its clock, or how many times in a row, it must be FAIL. Absent: once is enough. */
  readonly raiseAfter?: { readonly holdMs: number } | { readonly times: number };
  /** Raised at most once in a broadcast. */
  readonly once?: boolean;
  check(facts: StreamFacts, events: number): Outcome;
  /** The value that was judged; NaN or '' while there is none. */
  observed(facts: StreamFacts): Observed;
  /** The published bound, or ours where nothing is published. */
  limit(facts: StreamFacts): Observed;
  /** Values of the other placeholders in the sentence of its row. */
  placeholders?(facts: StreamFacts): Readonly<Record<string, string>>;
  /** Where it differs from the catalogue's. */
  severity?(facts: StreamFacts): Severity;
  /** The packet with which the proof begins; absent: the one looked at. */
  firstEvidence?(facts: StreamFacts, events: number): PacketFacts;
}

export interface FileFinding {
  readonly observed: Observed;
  readonly limit: Observed;
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** A rule of the specification of uploaded videos: a function of the file's facts. */
export interface FileRule extends Rule {
  /** What the file breaks; `undefined` when it conforms, or has nothing to judge. */
  check(facts: FileFacts): FileFinding | undefined;
}

/** Whether any of `wanted` is in `events`. */
export function has(events: number, wanted: number): boolean {
  return (events & wanted) !== 0;
}

/** Interface of rules. Rules read facts and the specification, never bytes, and are stateless. */
import type { PacketFacts } from '../facts/measures/packet-facts.js';
import type { FileFacts } from '../facts/probed-file.js';
import type { StreamFacts } from '../facts/stream-facts.js';
import type { Observed, SettingChange, Severity } from '../spec/error-record.js';
import type { CatalogueEntry } from './catalogue-entry.js';

/** The events do not concern this rule. */
export const SKIP = 0;
/** Cannot be judged now. Resets the time for which the rule has failed or passed. */
export const UNKNOWN = 1;
/** Passes so far, with too little data to count as judged. */
export const PASS_SO_FAR = 2;
export const PASS = 3;
/** Passes and clears an open record at once, regardless of `clears`. */
export const PASS_NOW = 4;
/** Fails; raised once it has failed for as long, or as often, as `raiseAfter` requires. */
export const FAIL = 5;
export const FAIL_NOW = 6;

export type Outcome = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Common part of all rules. A rule without a check is for a fault that the service observes, not a packet. */
export interface Rule {
  /** Its row of the catalogue. */
  readonly entry: CatalogueEntry;
  /** The change to make, for any encoder (`remedies/` has the encoder-specific texts). The first sentence must make sense alone. */
  readonly remedy: string;
}

/** A rule of the live broadcast specification. */
export interface LiveRule extends Rule {
  /** Events on which it is checked. */
  readonly events: number;
  /** Those of them on which it can fail; absent: all. On the others it passes or skips, which only an open record needs. */
  readonly failsOn?: number;
  /** How long on its clock, or how many times in a row, it must FAIL before it is raised. Absent: once is enough. */
  readonly raiseAfter?: { readonly holdMs: number } | { readonly times: number };
  /** Checked once more at the end of a file that is shorter than the windows, on its whole. */
  readonly whole?: true;
  /** Raised at most once per broadcast. */
  readonly once?: boolean;
  check(facts: StreamFacts, events: number): Outcome;
  /** The judged value; NaN or '' without data. */
  observed(facts: StreamFacts): Observed;
  /** The value while it passes, of a rule whose `observed` describes the fault. */
  passing?(facts: StreamFacts): Observed;
  /** The published bound, or the chosen one where none is published. */
  limit(facts: StreamFacts): Observed;
  /** Values of the additional placeholders in the sentence. */
  placeholders?(facts: StreamFacts): Readonly<Record<string, string>>;
  /** In place of the remedy for the encoder; undefined: that one. */
  remedyNow?(facts: StreamFacts): string | undefined;
  /** Settings that differ now (6403). The text of the record is renewed whenever they change. */
  changes?(facts: StreamFacts): readonly SettingChange[];
  /** Overrides the severity of the catalogue row. */
  severity?(facts: StreamFacts): Severity;
  /** The first packet of the evidence; absent: the current packet. */
  firstEvidence?(facts: StreamFacts, events: number): PacketFacts;
}

export interface FileFinding {
  readonly observed: Observed;
  readonly limit: Observed;
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** A rule of the specification of uploaded videos. */
export interface FileRule extends Rule {
  /** The fault; `undefined` when the file conforms or has nothing to judge. */
  check(facts: FileFacts): FileFinding | undefined;
}

/** Whether any of `wanted` is in `events`. */
export function has(events: number, wanted: number): boolean {
  return (events & wanted) !== 0;
}

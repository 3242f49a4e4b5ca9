/** One error in full: its meaning, when it is raised and cleared, what to change. */
import type { CatalogueEntry, Clearing, JudgedBy } from '../rules/catalogue-entry.js';
import { CATALOGUE } from '../rules/registry/catalogue.js';
import { FAMILY_REMEDIES, remedyFor } from '../rules/remedies/remedy.js';
import type { Severity } from '../spec/error-record.js';

/** One error of the catalogue in full. Its numbers are those of the specification in force. */
export interface Explanation {
  /** Never changes its meaning. */
  readonly code: number;
  /** Name of the code: `KEY_FRAME_INTERVAL_TOO_LONG`. */
  readonly type: string;
  /** `error`: breaks a requirement. `warning`: breaks a recommendation. `info`: no fault. */
  readonly severity: Severity;
  /** The fault in a few words. */
  readonly title: string;
  /** Row of the published document, or clause of the standard, that the fault violates. */
  readonly clause: string;
  /** The condition that raises it, with its numbers. */
  readonly raisedWhen: string;
  /** How long after the fault its record comes at most. */
  readonly delay: string;
  /** When its record is cleared. */
  readonly cleared: string;
  /** `media`: by decode times alone. `arrival`: by the clock, so not in files. `both`: by the first of them. `file`: an uploaded file. */
  readonly judgedBy: JudgedBy;
  /** The text of its records, with placeholders in braces. */
  readonly sentence: string;
  /** The change to make in any encoder. */
  readonly remedy: string;
  /** The change to make in the words of an encoder's own menus, by its family: `obs`, `ffmpeg`. */
  readonly remedies: Readonly<Record<string, string>>;
}

/** By code (`6208`) or type (`KEY_FRAME_INTERVAL_TOO_LONG`); undefined for neither. */
export function explained(error: number | string): Explanation | undefined {
  const name = String(error);
  const entry = CATALOGUE.find((row) => String(row.code) === name || row.type === name.toUpperCase());
  if (entry === undefined) return undefined;
  const { code, type, severity, title, clause, raisedWhen, clears, judgedBy, sentence } = entry;
  const families = [...FAMILY_REMEDIES].flatMap(([family, table]): [string, string][] => {
    const text = table[code];
    return text === undefined ? [] : [[family, text]];
  });
  return {
    code,
    type,
    severity,
    title,
    clause,
    raisedWhen,
    delay: delay(entry),
    cleared: cleared(clears, judgedBy === 'file'),
    judgedBy,
    sentence,
    remedy: remedyFor(code),
    remedies: Object.fromEntries(families),
  };
}

export function delay({ delay: { ms, text } }: CatalogueEntry): string {
  return ms === 0 ? `None: ${text}.` : `At most ${ms.toLocaleString('en-US')} ms ${text}.`;
}

export function cleared(clears: Clearing, isFile: boolean): string {
  switch (clears.how) {
    case 'header':
      return 'At the next conforming header.';
    case 'key-frames':
      if (clears.times === 1) return 'At the next conforming key frame.';
      return `After ${clears.times} consecutive conforming key frames.`;
    case 'window':
      return clears.insideMs === 0 ? 'Once inside the bound.' : `After ${clears.insideMs / 1000} s inside the bound.`;
    case 'flow':
      return `After the track has flowed for ${clears.flowsMs / 1000} s.`;
    case 'settings':
      return 'When the first settings return.';
    case 'connection':
      return 'When the connection ends.';
    case 'point':
      if (isFile) return 'Never: a file does not change.';
      return ['A point in time: cleared as it is raised.', clears.except].join(' ').trim();
    default: {
      const missing: never = clears;
      return missing;
    }
  }
}

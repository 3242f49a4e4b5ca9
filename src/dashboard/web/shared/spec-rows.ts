/**
 * The live specification as the pages show it: bound, observed value, and the errors that fail each row. Bounds come from
 * `src/spec/`, codes from the rules. Each error of a stream belongs to exactly one row (a test enforces this).
 */
import { AUDIO_ROWS } from './audio-rows.js';
import { FAULTS } from './faults.js';
import type { RowText } from './row.js';
import { STREAM_ROWS } from './stream-rows.js';
import { VIDEO_ROWS } from './video-rows.js';

export interface SpecRow extends RowText {
  readonly group: 'Video' | 'Audio' | 'Stream';
  /** Codes of the errors that fail it. */
  readonly codes: readonly number[];
}

const CODES = new Map(FAULTS.map(({ type, code }) => [type, code]));

export const SPEC_ROWS: readonly SpecRow[] = [
  ...VIDEO_ROWS.map((row) => inGroup('Video', row)),
  ...AUDIO_ROWS.map((row) => inGroup('Audio', row)),
  ...STREAM_ROWS.map((row) => inGroup('Stream', row)),
];

function inGroup(group: SpecRow['group'], row: RowText): SpecRow {
  return { ...row, group, codes: row.faults.map(codeOf) };
}

function codeOf(type: string): number {
  const code = CODES.get(type);
  if (code === undefined) throw new Error(`the error catalogue has no ${type}`);
  return code;
}

/**
 * The live specification as a page shows it: what is asked, what is seen, which faults say that it is broken. Bounds come
 * from `src/spec/`, codes from the rules; each fault of a stream has its place in exactly one row (a test holds that).
 */
import { AUDIO_ROWS } from './audio-rows.js';
import { FAULTS } from './faults.js';
import type { RowText } from './row.js';
import { STREAM_ROWS } from './stream-rows.js';
import { VIDEO_ROWS } from './video-rows.js';

export interface SpecRow extends RowText {
  readonly group: 'Video' | 'Audio' | 'Stream';
  /** Codes of its faults. */
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

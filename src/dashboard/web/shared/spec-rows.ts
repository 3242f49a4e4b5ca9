/**
 * The live specification as the pages show it: bound, observed value, and the errors that fail each row. Bounds come from
 * `src/spec/`, codes from the rules: each names its row.
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

export const SPEC_ROWS: readonly SpecRow[] = [
  ...VIDEO_ROWS.map((row) => inGroup('Video', row)),
  ...AUDIO_ROWS.map((row) => inGroup('Audio', row)),
  ...STREAM_ROWS.map((row) => inGroup('Stream', row)),
];

function inGroup(group: SpecRow['group'], row: RowText): SpecRow {
  return { ...row, group, codes: FAULTS.filter((fault) => fault.row === row.id).map(({ code }) => code) };
}

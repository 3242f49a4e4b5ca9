/** The codes beyond the published document, causes among them. */
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';

const RANGES = [
  [6218, 6229],
  [6307, 6308],
  [6409, 6411],
  [6801, 6822],
  [6901, 6908],
] as const;

export const ANALYSIS_ENTRIES = CATALOGUE.filter(({ code }) => RANGES.some(([from, to]) => code >= from && code <= to));
export const ANALYSIS_CODES = ANALYSIS_ENTRIES.map(({ code }) => code);

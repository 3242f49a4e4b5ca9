/**
 * The error catalogue: one row for each fault of a stream or an uploaded file. Codes are an interface: none is ever
 * given to another fault. error_subcodes and permission errors of requests stand in `service-errors.ts`.
 */
import { AUDIO_ERRORS } from '../catalogue/audio.js';
import { STREAM_ERRORS } from '../catalogue/stream.js';
import { UPLOAD_ERRORS } from '../catalogue/upload.js';
import { VIDEO_ERRORS } from '../catalogue/video.js';
import type { CatalogueEntry } from '../catalogue-entry.js';

/** All rows, by code. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...STREAM_ERRORS,
  ...VIDEO_ERRORS,
  ...AUDIO_ERRORS,
  ...UPLOAD_ERRORS,
].sort((a, b) => a.code - b.code);

const BY_CODE: ReadonlyMap<number, CatalogueEntry> = new Map(CATALOGUE.map((row) => [row.code, row]));

/** The row of a code. Throws for a code that the catalogue does not have: that is a fault of this program. */
export function catalogueEntry(code: number): CatalogueEntry {
  const row = BY_CODE.get(code);
  if (row === undefined) throw new Error(`the error catalogue has no code ${code}`);
  return row;
}

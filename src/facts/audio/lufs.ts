/** Loudness units (ITU-R BS.1770-4, Annex 1). */

/** Shown in place of the level of digital silence. */
export const FLOOR_LUFS = -99;
const OFFSET_LUFS = -0.691;

/** NaN stays NaN. */
export function lufsOf(power: number): number {
  return Number.isNaN(power) ? Number.NaN : Math.max(FLOOR_LUFS, OFFSET_LUFS + 10 * Math.log10(power));
}

export function powerOf(lufs: number): number {
  return 10 ** ((lufs - OFFSET_LUFS) / 10);
}

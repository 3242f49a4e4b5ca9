/** Comparisons of small gray pictures, 0 (black) to 255. */

/** Share of the pixels that are at most `level`. */
export function darkShare(picture: Uint8Array, level: number): number {
  let dark = 0;
  for (const value of picture) if (value <= level) dark++;
  return dark / picture.length;
}

/** Mean absolute difference; NaN for pictures of different sizes. */
export function meanDifference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] as number) - (other[i] as number));
  return sum / one.length;
}

/** K weighting of ITU-R BS.1770-4, Annex 1: the two filters at 48 kHz, as a gain by frequency. */
const RATE_HZ = 48_000;
/** b0, b1, b2, a1, a2 of Tables 1 and 2. */
const SHELF = [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585] as const;
const HIGH_PASS = [1, -2, 1, -1.99004745483398, 0.99007225036621] as const;

/** Power gain at `hz`. */
export function kGain(hz: number): number {
  const w = (2 * Math.PI * Math.min(hz, RATE_HZ / 2)) / RATE_HZ;
  return powerGain(SHELF, w) * powerGain(HIGH_PASS, w);
}

function powerGain([b0, b1, b2, a1, a2]: readonly [number, number, number, number, number], w: number): number {
  return squared(b0, b1, b2, w) / squared(1, a1, a2, w);
}

/** |c0 + c1 z^-1 + c2 z^-2|² on the unit circle. */
function squared(c0: number, c1: number, c2: number, w: number): number {
  const real = c0 + c1 * Math.cos(w) + c2 * Math.cos(2 * w);
  const imaginary = c1 * Math.sin(w) + c2 * Math.sin(2 * w);
  return real * real + imaginary * imaginary;
}

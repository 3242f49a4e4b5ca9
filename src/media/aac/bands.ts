/** Scale factor bands by sampling frequency (ISO/IEC 14496-3, 4.5.4, Tables 4.129 to 4.147), and their K weighting. */

interface Row {
  /** Lowest sample rate of the row. */
  readonly hz: number;
  /** Widths of the bands of a long window and of a short one; '3x8' is three bands of 8. */
  readonly long: string;
  readonly short: string;
  /** Bands that noise shaping may filter, in a long window (Table 4.155). */
  readonly shaped: number;
}

const SHORT_48 = '5x4 3x8 3x12 3x16';
const SHORT_96 = '6x4 3x8 16 28 36';
const ROWS: readonly Row[] = [
  { hz: 88_200, long: '14x4 5x8 5x12 2x16 24 28 36 44 11x64', short: SHORT_96, shaped: 31 },
  { hz: 64_000, long: '14x4 4x8 3x12 3x16 20 2x24 28 36 18x40', short: SHORT_96, shaped: 34 },
  { hz: 44_100, long: '10x4 7x8 4x12 2x16 2x20 2x24 2x28 19x32 96', short: SHORT_48, shaped: 42 },
  { hz: 32_000, long: '10x4 7x8 4x12 2x16 2x20 2x24 2x28 22x32', short: SHORT_48, shaped: 51 },
  {
    hz: 22_050,
    long: '11x4 10x8 4x12 3x16 2x20 2x24 2x28 32 2x36 40 44 48 2x52 5x64',
    short: '7x4 3x8 2x12 2x16 20',
    shaped: 46,
  },
  {
    hz: 11_025,
    long: '11x8 9x12 4x16 3x20 2x24 2x28 32 36 2x40 44 48 52 56 60 3x64',
    short: '8x4 2x8 2x12 16 2x20',
    shaped: 42,
  },
  {
    hz: 0,
    long: '13x12 7x16 4x20 3x24 2x28 32 2x36 40 44 48 52 56 60 64 80',
    short: '7x4 4x8 12 16 2x20',
    shaped: 39,
  },
];

/** The bands of one kind of window. */
export interface Bands {
  readonly count: number;
  readonly widths: Uint16Array;
  /** Power gain of the K weighting in each band. */
  readonly weights: Float64Array;
  /** Gain of each line of the first band over that band's weight. In a long window, K weighting rises by 20 dB over them. */
  readonly firstLines: Float64Array;
}

export interface RateBands {
  readonly long: Bands;
  readonly short: Bands;
  readonly shaped: number;
}

const CACHE = new Map<number, RateBands>();
/** The 13 standard rates and a few others: an escaped rate may be any number. */
const CACHE_MAX = 64;

/** Cache of the last rate: a stream has one. */
let lastRate = Number.NaN;
let lastBands: RateBands;

export function bandsOf(sampleRate: number): RateBands {
  if (sampleRate === lastRate) return lastBands;
  lastBands = CACHE.get(sampleRate) ?? newBands(sampleRate);
  lastRate = sampleRate;
  return lastBands;
}

function newBands(sampleRate: number): RateBands {
  const row = ROWS.find(({ hz }) => sampleRate >= hz) as Row;
  const made = {
    long: bands(row.long, 1024, sampleRate),
    short: bands(row.short, 128, sampleRate),
    shaped: row.shaped,
  };
  if (CACHE.size < CACHE_MAX) CACHE.set(sampleRate, made);
  return made;
}

function bands(text: string, lines: number, sampleRate: number): Bands {
  const widths = text.split(' ').flatMap((part) => {
    const [first = '', second] = part.split('x');
    return second === undefined ? [Number(first)] : new Array<number>(Number(first)).fill(Number(second));
  });
  const weights = new Float64Array(widths.length);
  let from = 0;
  for (const [i, width] of widths.entries()) {
    weights[i] = meanGain(from, from + width, sampleRate / (2 * lines));
    from += width;
  }
  const lineHz = sampleRate / (2 * lines);
  const firstLines = Float64Array.from(
    { length: widths[0] as number },
    (_, i) => kGain((i + 0.5) * lineHz) / (weights[0] as number),
  );
  return { count: widths.length, widths: Uint16Array.from(widths), weights, firstLines };
}

/** Mean over the lines `[from, to)`. In most sound, power falls with frequency: low lines, which K weighting removes, count more. */
function meanGain(from: number, to: number, lineHz: number): number {
  let sum = 0;
  let weights = 0;
  for (let line = from; line < to; line++) {
    const hz = (line + 0.5) * lineHz;
    sum += kGain(hz) / hz;
    weights += 1 / hz;
  }
  return sum / weights;
}

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

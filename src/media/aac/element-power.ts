/** Powers of the channels of one AAC element: the sum of the powers of its bands, with the weight of each. 1 is full scale. */
import { type ChannelStream, INTENSITY, INTENSITY_OUT, NOISE_BOOK, ZERO_BOOK } from './channel-stream.js';
import type { WindowInfo } from './window-info.js';

/** Lines to full scale: the squares of 16-bit samples, times the lines and the scaling of the transform. */
const LONG_SCALE = 1 / 2 ** 51;
const SHORT_SCALE = 8 * LONG_SCALE;

/** Energies of valid streams are within it. */
const NOISE_OFFSET = 512;
/** 2^(energy / 2). */
const NOISE_POWERS = Float64Array.from({ length: 2 * NOISE_OFFSET }, (_, i) => 2 ** ((i - NOISE_OFFSET) / 2));

/** Powers of each channel of a pair, and of their product; NaN if that is unknown. */
export interface PairPowers {
  first: number;
  second: number;
  product: number;
}

/** The power of one channel that is coded alone. */
export function powerOf(channel: ChannelStream): number {
  const { window } = channel;
  const { used, groups } = window;
  const { weights } = window.bands;
  let sum = 0;
  for (let i = 0; i < used * groups; i++) {
    sum += bandPower(channel, i, window) * (weights[i % used] as number) * shapingOf(channel, window, i);
  }
  return sum * (window.isShort ? SHORT_SCALE : LONG_SCALE);
}

function linesOf({ bands: { widths }, used, groupLengths }: WindowInfo, i: number): number {
  return (widths[i % used] as number) * (groupLengths[Math.floor(i / used)] as number);
}

function shapingOf(channel: ChannelStream, { isShort }: WindowInfo, band: number): number {
  return channel.isShaped && !isShort ? (channel.shaping[band] as number) : 1;
}

function bandPower(channel: ChannelStream, i: number, window: WindowInfo): number {
  const book = channel.books[i] as number;
  if (book === ZERO_BOOK || book >= INTENSITY_OUT) return 0;
  return book === NOISE_BOOK ? noisePower(channel, i, window) : (channel.powers[i] as number);
}

/** Perceptual noise: the energy of each window's band. */
function noisePower({ factors }: ChannelStream, i: number, { used, groupLengths }: WindowInfo): number {
  const factor = factors[i] as number;
  return (NOISE_POWERS[factor + NOISE_OFFSET] ?? 2 ** (factor / 2)) * (groupLengths[Math.floor(i / used)] as number);
}

/** The power of the product of two channels that are coded apart; NaN if their windows are not both long. */
export function productOf(first: ChannelStream, second: ChannelStream): number {
  if (first.window.isShort || second.window.isShort) return Number.NaN;
  const { used, bands } = first.window;
  let sum = 0;
  let at = 0;
  for (let band = 0; band < Math.min(used, second.window.used); band++) {
    const to = at + (bands.widths[band] as number);
    if (first.hasLines(band) && second.hasLines(band)) {
      sum += lineProduct(first, second, band, at, to) * (bands.weights[band] as number);
    }
    at = to;
  }
  return sum * LONG_SCALE;
}

/** Product of the lines `[from, to)` of band `i`. */
function lineProduct(first: ChannelStream, second: ChannelStream, i: number, from: number, to: number): number {
  const { lines: a } = first;
  const { lines: b } = second;
  let sum = 0;
  if (i === 0 && !first.window.isShort) {
    const { firstLines } = first.window.bands;
    for (let at = 0; at < to; at++) sum += (a[at] as number) * (b[at] as number) * (firstLines[at] as number);
  } else for (let at = from; at < to; at++) sum += (a[at] as number) * (b[at] as number);
  return sum * first.gainOf(i) * second.gainOf(i);
}

/**
 * Fills `out` for a pair with common windows. Joint coding (4.6.8): middle and side where the mask is 1, intensity, and noise
 * that both channels may share. `hasLines`: of both channels; without them, and with noise shaping in neither, only the sum of
 * the powers holds: that of left and right is twice that of middle and side, whatever their product.
 */
export function measureJoint(
  one: ChannelStream,
  other: ChannelStream,
  mask: Uint8Array,
  hasLines: boolean,
  out: PairPowers,
): void {
  const { window } = one;
  const { used, groups } = window;
  const { weights } = window.bands;
  let left = 0;
  let right = 0;
  let cross = 0;
  let at = 0;
  for (let i = 0; i < used * groups; i++) {
    const to = at + linesOf(window, i);
    let first = bandPower(one, i, window);
    let second = bandPower(other, i, window);
    const firstBook = one.books[i] as number;
    const secondBook = other.books[i] as number;
    const isJoint = mask[i] === 1;
    let product = 0;
    if (secondBook >= INTENSITY_OUT) {
      const isOpposite = (secondBook === INTENSITY) === isJoint;
      const gain = 2 ** (-(other.factors[i] as number) / 4);
      second = first * gain * gain;
      product = first * (isOpposite ? -gain : gain);
    } else if (firstBook === NOISE_BOOK || secondBook === NOISE_BOOK) {
      product = isJoint && firstBook === secondBook ? Math.sqrt(first * second) : 0;
    } else if (hasLines && first > 0 && second > 0) {
      product = lineProduct(one, other, i, at, to);
    }
    if (isJoint && firstBook < NOISE_BOOK && secondBook < NOISE_BOOK) {
      const sum = first + second;
      const difference = first - second;
      first = sum + 2 * product;
      second = Math.max(0, sum - 2 * product);
      product = difference;
    }
    const firstGain = (weights[i % used] as number) * shapingOf(one, window, i);
    const secondGain = (weights[i % used] as number) * shapingOf(other, window, i);
    left += first * firstGain;
    right += second * secondGain;
    cross += product * Math.sqrt(firstGain * secondGain);
    at = to;
  }
  const scale = window.isShort ? SHORT_SCALE : LONG_SCALE;
  out.first = left * scale;
  out.second = right * scale;
  out.product = hasLines ? cross * scale : Number.NaN;
}

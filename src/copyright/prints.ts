/** Prints of sound: arrays of 32-bit items, as `ffmpeg -f chromaprint -fp_format raw` writes them. */
import { MATCH, PRINT } from './limits.js';

export type Print = Uint32Array;

export const BITS_PER_ITEM = 8 * PRINT.bytesPerItem;

/** Items are little-endian; the bytes of an incomplete item at the end are dropped. */
export function parsePrint(bytes: Uint8Array): Print {
  const items = new Uint32Array(Math.floor(bytes.length / PRINT.bytesPerItem));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < items.length; index++) items[index] = view.getUint32(index * PRINT.bytesPerItem, true);
  return items;
}

export function printBytes(print: Print): Uint8Array {
  const bytes = new Uint8Array(print.length * PRINT.bytesPerItem);
  const view = new DataView(bytes.buffer);
  for (const [index, item] of print.entries()) view.setUint32(index * PRINT.bytesPerItem, item, true);
  return bytes;
}

/** Error rates up to which a window counts as found, and as found with more errors. */
export interface ErrorBounds {
  readonly near: number;
  /** 0, or above `near`. */
  readonly far: number;
}

const NEVER: ErrorBounds = { near: 0, far: 0 };

/** 0 for silence, steady tones and noise, which are alike everywhere. */
export function errorBoundsOf(window: Print): ErrorBounds {
  const distinct = new Set<number>();
  let repeats = 0;
  let before = -1;
  for (const item of window) {
    if (item === before) repeats++;
    distinct.add(item);
    before = item;
  }
  if (distinct.size < MATCH.distinctItemsMin || repeats > window.length * MATCH.repeatsMax) return NEVER;
  const selfError = selfErrorRate(window);
  const beyond = selfError - MATCH.selfErrorMin;
  const near = Math.min(MATCH.errorRateMax, Math.max(0, beyond * MATCH.errorPerSelfError));
  const { errorRateMax, selfErrorFrom, errorPerSelfError } = MATCH.far;
  return { near, far: selfError < selfErrorFrom ? 0 : Math.min(errorRateMax, beyond * errorPerSelfError) };
}

/** Bit errors up to which a window is sure. */
export const sureErrors = (window: Print, { near }: ErrorBounds): number =>
  window.length * BITS_PER_ITEM * near * MATCH.sureShare;

/** Error rate between the window and itself a few items later, at the most similar distance. */
function selfErrorRate(window: Print): number {
  let least = 1;
  for (let lag = MATCH.selfLagItems.from; lag <= MATCH.selfLagItems.to && lag < window.length; lag++) {
    const bits = (window.length - lag) * BITS_PER_ITEM;
    const most = Math.floor(bits * least);
    least = Math.min(least, bitErrors(window.subarray(lag), window, 0, most) / bits);
  }
  return least;
}

/** Items of the windows of a print that can be matched. */
export function distinctiveItems(print: Print): number {
  let items = 0;
  for (let from = 0; from + MATCH.windowItems <= print.length; from += MATCH.windowItems) {
    if (errorBoundsOf(print.subarray(from, from + MATCH.windowItems)).near > 0) items += MATCH.windowItems;
  }
  return items;
}

/** Number of bits set. */
export function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Differing bits of `window` and the items of `print` from `at` on; stops counting beyond `most`. */
export function bitErrors(window: Print, print: Print, at: number, most: number): number {
  const { length } = window;
  let errors = 0;
  for (let index = 0; index < length && errors <= most; index++) {
    // bitCount, written out: this loop is most of the cost of a search.
    let bits = (window[index] as number) ^ (print[at + index] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    errors += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return errors;
}

/** Four items of a window, by which most places of unrelated sound are ruled out. */
export interface Screen {
  readonly step: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

export function screenOf(window: Print): Screen {
  const step = window.length >>> 2;
  const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((part) => window[part * step]);
  return { step, a, b, c, d };
}

/** Whether `window` has at most `most` bit errors at `place`. */
export function isAlike(
  { step, a, b, c, d }: Screen,
  window: Print,
  print: Print,
  place: number,
  most: number,
): boolean {
  const half = bitCount(a ^ (print[place] as number)) + bitCount(b ^ (print[place + step] as number));
  if (half > MATCH.screenedMax) return false;
  const rest = bitCount(c ^ (print[place + 2 * step] as number)) + bitCount(d ^ (print[place + 3 * step] as number));
  return half + rest <= MATCH.screenedMax && bitErrors(window, print, place, most) <= most;
}

/** The next place from `from` on, before `end`, at which `window` has at most `most` bit errors; -1 without one. */
export function nextPlace(window: Print, print: Print, from: number, end: number, most: number): number {
  const screen = screenOf(window);
  for (let place = from; place < end; place++) {
    if (isAlike(screen, window, print, place, most)) return place;
  }
  return -1;
}

export const itemsToMs = (items: number): number => Math.round(items * PRINT.itemMs);

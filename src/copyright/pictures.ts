/**
 * Perceptual hashes of pictures, the second witness of a match by sound: 64 bits, each the sign of a low frequency of the
 * picture against their median. Recoding changes up to 4 bits, a cut margin of 2 % up to 8; unrelated pictures differ in 22.
 */
import { PICTURES } from './limits.js';
import { bitCount } from './prints.js';

/** Upper and lower half. */
export type PictureHash = readonly [number, number];

const { size: SIZE, frequencies: FREQUENCIES } = PICTURES;

/** By frequency and place. */
const COSINES = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Float64Array.from({ length: SIZE }, (_none, at) => Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * SIZE))),
);

/** Of `size` x `size` gray values; undefined for a flat picture, which resembles every other one. */
export function pictureHash(gray: Uint8Array): PictureHash | undefined {
  if (deviationOf(gray) < PICTURES.deviationMin) return undefined;
  const values = lowFrequencies(gray);
  // The first is the brightness.
  const median = [...values.subarray(1)].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const bits: [number, number] = [0, 0];
  for (const [index, value] of values.entries()) {
    if (value > median) bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
  }
  return bits;
}

function deviationOf(gray: Uint8Array): number {
  let sum = 0;
  let squares = 0;
  for (const value of gray) {
    sum += value;
    squares += value * value;
  }
  return Math.sqrt(Math.max(0, squares / gray.length - (sum / gray.length) ** 2));
}

function lowFrequencies(gray: Uint8Array): Float64Array {
  const rows = new Float64Array(FREQUENCIES * SIZE);
  for (let frequency = 0; frequency < FREQUENCIES; frequency++) {
    for (let y = 0; y < SIZE; y++) {
      let sum = 0;
      for (let x = 0; x < SIZE; x++) sum += (gray[y * SIZE + x] ?? 0) * (COSINES[frequency]?.[x] ?? 0);
      rows[frequency * SIZE + y] = sum;
    }
  }
  const values = new Float64Array(FREQUENCIES * FREQUENCIES);
  for (let across = 0; across < FREQUENCIES; across++) {
    for (let down = 0; down < FREQUENCIES; down++) {
      let sum = 0;
      for (let y = 0; y < SIZE; y++) sum += (rows[across * SIZE + y] ?? 0) * (COSINES[down]?.[y] ?? 0);
      values[down * FREQUENCIES + across] = sum;
    }
  }
  return values;
}

export interface Witness {
  readonly compared: number;
  readonly alike: number;
  /** So many in a row are alike that chance is ruled out. */
  readonly agrees: boolean;
}

/** Each picture of one video against those of the other at about the same time. `gray`: pictures one after the other. */
export function comparePictures(one: Uint8Array, other: Uint8Array): Witness {
  const others = hashesOf(other);
  let [compared, alike, run, longest] = [0, 0, 0, 0];
  for (const [at, hash] of hashesOf(one).entries()) {
    if (hash === undefined) continue;
    const near = others.slice(Math.max(0, at - PICTURES.slack), at + PICTURES.slack + 1);
    if (near.every((each) => each === undefined)) continue;
    compared++;
    const isAlike = near.some((each) => each !== undefined && distance(hash, each) <= PICTURES.distanceMax);
    if (isAlike) alike++;
    run = isAlike ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return { compared, alike, agrees: longest >= PICTURES.running };
}

function hashesOf(gray: Uint8Array): (PictureHash | undefined)[] {
  const bytes = SIZE * SIZE;
  const count = Math.floor(gray.length / bytes);
  return Array.from({ length: count }, (_, at) => pictureHash(gray.subarray(at * bytes, (at + 1) * bytes)));
}

const distance = (a: PictureHash, b: PictureHash): number => bitCount(a[0] ^ b[0]) + bitCount(a[1] ^ b[1]);

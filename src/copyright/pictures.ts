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

/** Hash of `size` x `size` gray values; undefined for a flat picture, which resembles every other one. */
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

/** A picture of a broadcast at its media time. */
export interface HashedPicture {
  readonly atMs: number;
  readonly hash: PictureHash;
}

/** A decoded key frame as the hash takes it: each value is the mean of what it covers. */
export function shrink(gray: Uint8Array): Uint8Array {
  const { width, height } = PICTURES.decoded;
  const small = new Uint8Array(SIZE * SIZE);
  for (let y = 0; y < SIZE; y++) {
    const [top, bottom] = covered(y, height);
    for (let x = 0; x < SIZE; x++) {
      const [left, right] = covered(x, width);
      let sum = 0;
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) sum += gray[row * width + column] ?? 0;
      }
      small[y * SIZE + x] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
  return small;
}

const covered = (at: number, size: number): [from: number, to: number] => [
  Math.floor((at * size) / SIZE),
  Math.ceil(((at + 1) * size) / SIZE),
];

/** Each picture of one video against those of the other at about the same time. `gray`: pictures one after the other. */
export function comparePictures(one: Uint8Array, other: Uint8Array): Witness {
  return compared(
    hashesOf(one).map((hash, at) => ({ at, hash })),
    hashesOf(other),
  );
}

/** Pictures of a broadcast against those of the reference, which start at media time `fromMs`. */
export function compareAt(pictures: readonly HashedPicture[], reference: Uint8Array, fromMs: number): Witness {
  return compared(
    pictures.map(({ atMs, hash }) => ({ at: Math.round((atMs - fromMs) / PICTURES.everyMs), hash })),
    hashesOf(reference),
  );
}

interface Placed {
  /** Place of the picture that was at the same time. */
  readonly at: number;
  readonly hash: PictureHash | undefined;
}

function compared(pictures: readonly Placed[], others: readonly (PictureHash | undefined)[]): Witness {
  let [count, alike, run, longest] = [0, 0, 0, 0];
  for (const { at, hash } of pictures) {
    if (hash === undefined) continue;
    const near = others.slice(Math.max(0, at - PICTURES.slack), Math.max(0, at + PICTURES.slack + 1));
    if (near.every((each) => each === undefined)) continue;
    count++;
    const isAlike = near.some((each) => each !== undefined && distance(hash, each) <= PICTURES.distanceMax);
    if (isAlike) alike++;
    run = isAlike ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return { compared: count, alike, agrees: longest >= PICTURES.running };
}

function hashesOf(gray: Uint8Array): (PictureHash | undefined)[] {
  const bytes = SIZE * SIZE;
  const count = Math.floor(gray.length / bytes);
  return Array.from({ length: count }, (_, at) => pictureHash(gray.subarray(at * bytes, (at + 1) * bytes)));
}

const distance = (a: PictureHash, b: PictureHash): number => bitCount(a[0] ^ b[0]) + bitCount(a[1] ^ b[1]);

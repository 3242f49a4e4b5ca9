/**
 * spectral_data of one band (ISO/IEC 14496-3, 4.4.2.7 with 4.6.3): the sum of the squares of its lines, and the lines where
 * they are needed. The sum alone takes one look-up for two or four lines, and no signs.
 */
import { HuffmanBook, INDEX_BITS, INDEX_MASK, WORD_BITS } from './huffman-book.js';
import { SPECTRAL_BOOKS } from './huffman-tables.js';
import { FRAME } from './window-info.js';

export const ESCAPE_BOOK = 11;
const ESCAPE = 16;
/** Values of each line of `ESCAPE_BOOK`. */
const ESCAPE_VALUES = 17;

interface Book {
  readonly huffman: HuffmanBook;
  readonly dimension: number;
  /** Values of each index to the power of 4/3, negative in signed books. */
  readonly values: Float32Array;
  /** 1 for each value that a sign bit follows. */
  readonly signs: Uint8Array;
  /** Sum of the squares of `values` of each index, without escapes. */
  readonly powers: Float64Array;
  /** Whether a value of each index is an escape. */
  readonly escapes: Uint8Array;
}

/** Largest index of a value, and whether values are signed, by codebook (Table 4.151). */
const SHAPES: readonly (readonly [values: number, dimension: number, isSigned: boolean])[] = [
  [3, 4, true],
  [3, 4, true],
  [3, 4, false],
  [3, 4, false],
  [9, 2, true],
  [9, 2, true],
  [8, 2, false],
  [8, 2, false],
  [13, 2, false],
  [13, 2, false],
  [ESCAPE_VALUES, 2, false],
];
const BOOKS = SPECTRAL_BOOKS.map((text, i) => newBook(text, i + 1));
/** Escaped magnitudes have up to 13 bits (4.6.3.3); each to the power of 4/3, which is dear to compute. */
const MAGNITUDES = Float32Array.from({ length: 1 << 14 }, (_, value) => value ** (4 / 3));

/** The sum of the squares of `count` lines before their scale factor. */
export function powerOfBand(number: number, count: number): number {
  const { huffman, dimension, powers, escapes } = BOOKS[number - 1] as Book;
  let bit = FRAME.position;
  const end = bit + FRAME.left;
  let sum = 0;
  for (let left = count; left > 0 && bit <= end; left -= dimension) {
    const found = huffman.find(FRAME.peekAt(bit, WORD_BITS));
    const index = found & INDEX_MASK;
    bit += found >>> INDEX_BITS;
    sum += powers[index] as number;
    if (escapes[index] === 0) continue;
    moveTo(bit);
    if (Math.floor(index / ESCAPE_VALUES) === ESCAPE) sum += readEscape() ** 2;
    if (index % ESCAPE_VALUES === ESCAPE) sum += readEscape() ** 2;
    bit = FRAME.position;
  }
  moveTo(bit);
  return sum;
}

/** Reads a band and fills `lines[from, to)`. */
export function readBand(number: number, lines: Float32Array, from: number, to: number): number {
  const { huffman, dimension, values, signs, powers, escapes } = BOOKS[number - 1] as Book;
  let bit = FRAME.position;
  const end = bit + FRAME.left;
  let sum = 0;
  for (let at = from; at < to && bit <= end; at += dimension) {
    const word = FRAME.peekAt(bit, WORD_BITS);
    const found = huffman.find(word);
    const index = found & INDEX_MASK;
    const length = found >>> INDEX_BITS;
    bit += length;
    sum += powers[index] as number;
    // The last value has the last sign. Signs are random, so a branch on them would be guessed wrong.
    let right = WORD_BITS - length;
    for (let i = dimension - 1; i >= 0; i--) {
      const hasSign = signs[index * dimension + i] as number;
      lines[at + i] = (values[index * dimension + i] as number) * (1 - 2 * ((word >>> right) & hasSign));
      right += hasSign;
    }
    if (escapes[index] === 0) continue;
    moveTo(bit);
    sum += readEscapes(lines, at, index);
    bit = FRAME.position;
  }
  moveTo(bit);
  return sum;
}

function moveTo(bit: number): void {
  FRAME.skip(bit - FRAME.position);
}

/** The magnitude follows both signs. Returns the sum of the squares. */
function readEscapes(lines: Float32Array, at: number, index: number): number {
  let sum = 0;
  for (let i = 0; i < 2; i++) {
    if ((i === 0 ? Math.floor(index / ESCAPE_VALUES) : index % ESCAPE_VALUES) !== ESCAPE) continue;
    const magnitude = readEscape();
    lines[at + i] = Math.sign(lines[at + i] as number) * magnitude;
    sum += magnitude ** 2;
  }
  return sum;
}

/** The magnitude of an escape sequence, to the power of 4/3. */
function readEscape(): number {
  let size = 4;
  while (size < 13 && FRAME.flag()) size++;
  return MAGNITUDES[(1 << size) + FRAME.u(size)] as number;
}

function newBook(text: string, number: number): Book {
  const [count, dimension, isSigned] = SHAPES[number - 1] as (typeof SHAPES)[number];
  const size = count ** dimension;
  const values = new Float32Array(size * dimension);
  const signs = new Uint8Array(size * dimension);
  const powers = new Float64Array(size);
  const escapes = new Uint8Array(size);
  for (let index = 0; index < size; index++) {
    let rest = index;
    for (let i = dimension - 1; i >= 0; i--) {
      const value = (rest % count) - (isSigned ? (count - 1) / 2 : 0);
      const at = index * dimension + i;
      values[at] = Math.sign(value) * Math.abs(value) ** (4 / 3);
      signs[at] = !isSigned && value !== 0 ? 1 : 0;
      if (number === ESCAPE_BOOK && value === ESCAPE) escapes[index] = 1;
      else powers[index] = (powers[index] as number) + (values[at] as number) ** 2;
      rest = Math.floor(rest / count);
    }
  }
  const signsOf = (index: number): number =>
    signs.subarray(index * dimension, (index + 1) * dimension).reduce((sum, sign) => sum + sign, 0);
  return { huffman: new HuffmanBook(text, signsOf), dimension, values, signs, powers, escapes };
}

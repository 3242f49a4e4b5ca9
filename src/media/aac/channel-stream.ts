/**
 * individual_channel_stream of low complexity (ISO/IEC 14496-3, 4.4.2.7), decoded to scaled spectral lines. Reused objects:
 * reading a frame allocates nothing.
 */
import { HuffmanBook, INDEX_BITS, INDEX_MASK, WORD_BITS } from './huffman-book.js';
import { SCALE_FACTOR_BOOK, SPECTRAL_BOOKS } from './huffman-tables.js';
import { readShaping } from './noise-shaping.js';
import { FRAME, WindowInfo } from './window-info.js';

export const WINDOW_FAULT = 'windows that its syntax does not allow';
export const ZERO_BOOK = 0;
export const NOISE_BOOK = 13;
/** Out of phase; 15 is in phase. */
export const INTENSITY_OUT = 14;
export const INTENSITY = 15;
/** Codebooks below it hold four lines. */
const FIRST_PAIR = 5;
const ESCAPE_BOOK = 11;
const RESERVED_BOOK = 12;
const ESCAPE = 16;
/** Lines of a frame, and bands over all groups: 8 groups of 15. */
const LINES = 1024;
const MAX_BANDS = 120;

/** Largest index of a value, and 1 for signed values, by codebook (Table 4.151). */
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
  [17, 2, false],
];
const FACTORS = new HuffmanBook(SCALE_FACTOR_BOOK);
const BOOKS = SPECTRAL_BOOKS.map((text) => new HuffmanBook(text));
/** Of each book, the values of each index, to the power of 4/3 with their sign. */
const VALUES = BOOKS.map(({ size }, i) => valuesOf(size, ...(SHAPES[i] as (typeof SHAPES)[number])));
/** 1 for each value that is not 0. */
const SIGNS = VALUES.map((values) => Uint8Array.from(values, (value) => (value === 0 ? 0 : 1)));
const SIGNED = Uint8Array.from(SHAPES, ([, , isSigned]) => (isSigned ? 1 : 0));
/** Escaped magnitudes have up to 13 bits (4.6.3.3); each to the power of 4/3, which is dear to compute. */
const MAGNITUDES = Float64Array.from({ length: 1 << 14 }, (_, value) => value ** (4 / 3));
/** 2^((factor - 100) / 4). */
const GAINS = Float64Array.from({ length: 256 }, (_, factor) => 2 ** ((factor - 100) / 4));

export class ChannelStream {
  readonly window = new WindowInfo();
  /** By group and band. */
  readonly books = new Uint8Array(MAX_BANDS);
  /** Scale factor, noise energy or intensity position, by group and band. */
  readonly factors = new Int16Array(MAX_BANDS);
  /** Lines in the order of the stream: by group, band and window. Those of bands without coded lines are of an earlier frame. */
  readonly lines = new Float32Array(LINES);
  /** Power gain of temporal noise shaping, by band of a long window. */
  readonly shaping = new Float32Array(64);
  isShaped = false;
  /** Why the last one could not be decoded. */
  fault = '';
  /** Every codebook is the zero codebook, or no band is used. */
  isZero = true;

  /** Reads it with its own window, or with that of `shared`. False: it cannot be decoded. */
  read(sampleRate: number, shared: WindowInfo | undefined): boolean {
    const globalGain = FRAME.u(8);
    const window = shared ?? this.window;
    if (shared === undefined && !window.read(sampleRate)) return this.#fail(WINDOW_FAULT);
    if (!this.#readSections(window)) return this.#fail('sections that its syntax does not allow');
    if (!this.#readFactors(window, globalGain)) return this.#fail('a scale factor out of range');
    if (FRAME.flag()) skipPulses(window);
    this.isShaped = FRAME.flag();
    if (this.isShaped) readShaping(FRAME, window, this.shaping);
    if (FRAME.flag()) return this.#fail('gain control, which low complexity excludes');
    this.#readLines(window);
    return !FRAME.isOver;
  }

  /** The band has lines: it is not silent, noise or intensity. */
  hasLines(i: number): boolean {
    const book = this.books[i] as number;
    return book !== ZERO_BOOK && book <= ESCAPE_BOOK;
  }

  #fail(fault: string): false {
    this.fault = fault;
    return false;
  }

  #readSections({ isShort, used, groups }: WindowInfo): boolean {
    const lengthBits = isShort ? 3 : 5;
    const continued = (1 << lengthBits) - 1;
    this.isZero = true;
    for (let group = 0; group < groups; group++) {
      let band = 0;
      while (band < used) {
        const book = FRAME.u(4);
        if (book === RESERVED_BOOK) return false;
        const from = band;
        let part = continued;
        while (part === continued && !FRAME.isOver) {
          part = FRAME.u(lengthBits);
          band += part;
        }
        if (FRAME.isOver || band > used) return false;
        if (book !== ZERO_BOOK) this.isZero = false;
        for (let i = group * used + from; i < group * used + band; i++) this.books[i] = book;
      }
    }
    return true;
  }

  /** scale_factor_data, 4.4.2.7 with 4.6.2, 4.6.8 and 4.6.13. */
  #readFactors({ used, groups }: WindowInfo, globalGain: number): boolean {
    const { books, factors } = this;
    let gain = globalGain;
    let position = 0;
    let noise = globalGain - 90;
    let isFirstNoise = true;
    for (let i = 0; i < used * groups; i++) {
      const book = books[i] as number;
      if (book === ZERO_BOOK) continue;
      if (book === NOISE_BOOK) {
        noise += isFirstNoise ? FRAME.u(9) - 256 : FACTORS.read(FRAME) - 60;
        isFirstNoise = false;
        factors[i] = noise;
      } else if (book >= INTENSITY_OUT) {
        position += FACTORS.read(FRAME) - 60;
        factors[i] = position;
      } else {
        gain += FACTORS.read(FRAME) - 60;
        if (gain < 0 || gain > 255) return false;
        factors[i] = gain;
      }
    }
    return true;
  }

  #readLines({ bands: { widths }, used, groups, groupLengths }: WindowInfo): void {
    let at = 0;
    for (let group = 0; group < groups; group++) {
      for (let band = 0; band < used; band++) {
        const i = group * used + band;
        const to = at + (widths[band] as number) * (groupLengths[group] as number);
        if (this.hasLines(i)) {
          readBand(this.books[i] as number, this.lines, at, to, GAINS[this.factors[i] as number] as number);
        }
        at = to;
      }
    }
  }
}

/** spectral_data of one band. */
function readBand(book: number, lines: Float32Array, from: number, to: number, gain: number): void {
  const huffman = BOOKS[book - 1] as HuffmanBook;
  const values = VALUES[book - 1] as Float32Array;
  const signs = SIGNS[book - 1] as Uint8Array;
  const dimension = book < FIRST_PAIR ? 4 : 2;
  if (SIGNED[book - 1] === 1) {
    for (let at = from; at < to; at += dimension) {
      const first = huffman.read(FRAME) * dimension;
      for (let i = 0; i < dimension; i++) lines[at + i] = (values[first + i] as number) * gain;
    }
    return;
  }
  for (let at = from; at < to; at += dimension) {
    const word = FRAME.peek(WORD_BITS);
    const found = huffman.find(word);
    const first = (found & INDEX_MASK) * dimension;
    // A sign bit for each value but 0, after the codeword. Signs are random, so a branch on them would be guessed wrong.
    let left = WORD_BITS - (found >>> INDEX_BITS);
    for (let i = 0; i < dimension; i++) {
      const hasSign = signs[first + i] as number;
      left -= hasSign;
      lines[at + i] = (values[first + i] as number) * gain * (1 - 2 * ((word >>> left) & hasSign));
    }
    FRAME.skip(WORD_BITS - left);
    if (book === ESCAPE_BOOK) readEscapes(lines, at, first, gain);
  }
}

/** The magnitude follows both signs. */
function readEscapes(lines: Float32Array, at: number, first: number, gain: number): void {
  const index = first / 2;
  if (Math.floor(index / 17) === ESCAPE) lines[at] = Math.sign(lines[at] as number) * readEscape() * gain;
  if (index % 17 === ESCAPE) lines[at + 1] = Math.sign(lines[at + 1] as number) * readEscape() * gain;
}

/** The magnitude of an escape sequence, to the power of 4/3. */
function readEscape(): number {
  let size = 4;
  while (size < 13 && FRAME.flag()) size++;
  return MAGNITUDES[(1 << size) + FRAME.u(size)] as number;
}

/** pulse_data: amounts added to up to four lines, which do not change the level. */
function skipPulses({ isShort }: WindowInfo): void {
  const count = FRAME.u(2) + 1;
  FRAME.skip(6 + 9 * count);
  // Not allowed with short windows.
  if (isShort) FRAME.skip(FRAME.left + 1);
}

function valuesOf(size: number, values: number, dimension: number, isSigned: boolean): Float32Array {
  const out = new Float32Array(size * dimension);
  for (let index = 0; index < size; index++) {
    let rest = index;
    for (let i = dimension - 1; i >= 0; i--) {
      const value = (rest % values) - (isSigned ? (values - 1) / 2 : 0);
      out[index * dimension + i] = Math.sign(value) * Math.abs(value) ** (4 / 3);
      rest = Math.floor(rest / values);
    }
  }
  return out;
}

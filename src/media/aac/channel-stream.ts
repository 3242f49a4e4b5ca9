/**
 * individual_channel_stream of low complexity (ISO/IEC 14496-3, 4.4.2.7), decoded to the powers of its bands and to spectral
 * lines. Reused objects: reading a frame allocates nothing.
 */
import { HuffmanBook } from './huffman-book.js';
import { SCALE_FACTOR_BOOK } from './huffman-tables.js';
import { readShaping } from './noise-shaping.js';
import { ESCAPE_BOOK, powerOfBand, readBand } from './spectral-data.js';
import { FRAME, WindowInfo } from './window-info.js';

export const WINDOW_FAULT = 'windows that its syntax does not allow';
export const ZERO_BOOK = 0;
export const NOISE_BOOK = 13;
/** Out of phase; 15 is in phase. */
export const INTENSITY_OUT = 14;
export const INTENSITY = 15;
const RESERVED_BOOK = 12;
/** Lines of a frame, and bands over all groups: 8 groups of 15. */
const LINES = 1024;
const MAX_BANDS = 120;

const FACTORS = new HuffmanBook(SCALE_FACTOR_BOOK);
/** 2^((factor - 100) / 4). */
const GAINS = Float64Array.from({ length: 256 }, (_, factor) => 2 ** ((factor - 100) / 4));

export class ChannelStream {
  readonly window = new WindowInfo();
  /** By group and band. */
  readonly books = new Uint8Array(MAX_BANDS);
  /** Scale factor, noise energy or intensity position, by group and band. */
  readonly factors = new Int16Array(MAX_BANDS);
  /**
   * Sum of the squares of the scaled lines, by group and band; in the first band of a long window each line is weighted by
   * `firstLines`. That of bands without coded lines is of an earlier frame.
   */
  readonly powers = new Float64Array(MAX_BANDS);
  /**
   * Lines before their scale factor, in the order of the stream: by group, band and window. Those of bands without coded lines,
   * and of a frame whose lines were not kept, are of an earlier frame.
   */
  readonly lines = new Float32Array(LINES);
  /** Power gain of temporal noise shaping, by band of a long window. */
  readonly shaping = new Float32Array(64);
  isShaped = false;
  /** Why the last one could not be decoded. */
  fault = '';
  /** Every codebook is the zero codebook, or no band is used. */
  isZero = true;

  /** Reads it with its own window, or with that of `shared`. `keepsLines`: not only powers. False: it cannot be decoded. */
  read(sampleRate: number, shared: WindowInfo | undefined, keepsLines: boolean): boolean {
    const globalGain = FRAME.u(8);
    const window = shared ?? this.window;
    if (shared === undefined && !window.read(sampleRate)) return this.#fail(WINDOW_FAULT);
    if (!this.#readSections(window)) return this.#fail('sections that its syntax does not allow');
    if (!this.#readFactors(window, globalGain)) return this.#fail('a scale factor out of range');
    if (FRAME.flag()) skipPulses(window);
    this.isShaped = FRAME.flag();
    if (this.isShaped) readShaping(FRAME, window, this.shaping);
    if (FRAME.flag()) return this.#fail('gain control, which low complexity excludes');
    this.#readLines(window, keepsLines);
    return !FRAME.isOver;
  }

  /** The band has lines: it is not silent, noise or intensity. */
  hasLines(i: number): boolean {
    const book = this.books[i] as number;
    return book !== ZERO_BOOK && book <= ESCAPE_BOOK;
  }

  /** Factor of the lines of a band. */
  gainOf(i: number): number {
    return GAINS[this.factors[i] as number] as number;
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

  #readLines({ bands, used, groups, groupLengths, isShort }: WindowInfo, keepsLines: boolean): void {
    const { books, powers, lines } = this;
    const { widths, firstLines } = bands;
    let at = 0;
    for (let group = 0; group < groups; group++) {
      for (let band = 0; band < used; band++) {
        const i = group * used + band;
        const to = at + (widths[band] as number) * (groupLengths[group] as number);
        if (this.hasLines(i)) {
          const book = books[i] as number;
          const gain = this.gainOf(i);
          if (i === 0 && !isShort) {
            readBand(book, lines, at, to);
            powers[i] = weightedPower(lines, firstLines) * gain * gain;
          } else powers[i] = (keepsLines ? readBand(book, lines, at, to) : powerOfBand(book, to - at)) * gain * gain;
        }
        at = to;
      }
    }
  }
}

/** Power of the first band: the sum of the squares of its lines, each with its own gain. */
function weightedPower(lines: Float32Array, gains: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < gains.length; i++) sum += (lines[i] as number) ** 2 * (gains[i] as number);
  return sum;
}

/** pulse_data: amounts added to up to four lines, which do not change the level. */
function skipPulses({ isShort }: WindowInfo): void {
  const count = FRAME.u(2) + 1;
  FRAME.skip(6 + 9 * count);
  // Not allowed with short windows.
  if (isShort) FRAME.skip(FRAME.left + 1);
}

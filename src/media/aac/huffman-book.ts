/** Decodes one Huffman codebook of AAC: a table for codewords of up to 9 bits, a search by length for longer ones. */
import type { BitCursor } from '../../bytes/bit-cursor.js';

const SHORT_BITS = 9;
/** The largest book has 289 codewords. */
export const INDEX_BITS = 9;
export const INDEX_MASK = (1 << INDEX_BITS) - 1;
/** More than a codeword and the signs after it have. */
export const WORD_BITS = 24;
/** Longest code of the scale factors; the longest of the spectrum has 16. */
const MAX_BITS = 19;

export class HuffmanBook {
  /** By the next 9 bits: length with signs << `INDEX_BITS` | index; 0 for a longer codeword. */
  readonly #short = new Uint16Array(1 << SHORT_BITS);
  /** Indexes in the order of their codewords. */
  readonly #indexes: Uint16Array;
  /** By length: the first codeword, the number of codewords, and the position of the first in `#indexes`. */
  readonly #first = new Int32Array(MAX_BITS + 1);
  readonly #count = new Int32Array(MAX_BITS + 1);
  readonly #from = new Int32Array(MAX_BITS + 1);

  /** Sign bits after each codeword, by index. */
  readonly #signs: Uint8Array;

  /** `text` as in `huffman-tables.ts`. `signsOf`: the number of sign bits after the codeword of an index. */
  constructor(text: string, signsOf: (index: number) => number = () => 0) {
    const indexes: number[] = [];
    for (const part of text.split(' | ')) {
      const [length = '', list = ''] = part.split(':');
      this.#from[Number(length)] = indexes.length;
      const ofLength = list.split(' ').map(Number);
      this.#count[Number(length)] = ofLength.length;
      indexes.push(...ofLength);
    }
    this.#indexes = Uint16Array.from(indexes);
    this.#signs = Uint8Array.from(indexes, (_, index) => signsOf(index));
    this.#assign();
  }

  get size(): number {
    return this.#indexes.length;
  }

  /** The index of the next codeword; its signs are skipped. The books are complete: any bits are a codeword. */
  read(bits: BitCursor): number {
    const found = this.find(bits.peek(WORD_BITS));
    bits.skip(found >>> INDEX_BITS);
    return found & INDEX_MASK;
  }

  /** The codeword at the start of the `WORD_BITS` bits of `word`: its length with signs << `INDEX_BITS` | its index. */
  find(word: number): number {
    const entry = this.#short[word >>> (WORD_BITS - SHORT_BITS)] as number;
    return entry !== 0 ? entry : this.#findLong(word);
  }

  #findLong(word: number): number {
    for (let length = SHORT_BITS + 1; length <= MAX_BITS; length++) {
      const nth = (word >>> (WORD_BITS - length)) - (this.#first[length] as number);
      if (nth >= (this.#count[length] as number)) continue;
      const index = this.#indexes[(this.#from[length] as number) + nth] as number;
      return ((length + (this.#signs[index] as number)) << INDEX_BITS) | index;
    }
    return 0;
  }

  #assign(): void {
    let code = 0;
    for (let length = 1; length <= MAX_BITS; length++) {
      code *= 2;
      this.#first[length] = code;
      const count = this.#count[length] as number;
      for (let i = 0; i < count && length <= SHORT_BITS; i++) {
        const index = this.#indexes[(this.#from[length] as number) + i] as number;
        const from = (code + i) << (SHORT_BITS - length);
        const entry = ((length + (this.#signs[index] as number)) << INDEX_BITS) | index;
        this.#short.fill(entry, from, from + (1 << (SHORT_BITS - length)));
      }
      code += count;
    }
  }
}

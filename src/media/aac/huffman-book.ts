/** Decodes one Huffman codebook of AAC: a table for codewords of up to 9 bits, a search by length for longer ones. */
import type { BitCursor } from '../../bytes/bit-cursor.js';

const SHORT_BITS = 9;
/** Of the scale factors; the longest of the spectrum has 16. */
const MAX_BITS = 19;

export class HuffmanBook {
  /** By the next 9 bits: length << 9 | index; 0 for a longer codeword. */
  readonly #short = new Uint16Array(1 << SHORT_BITS);
  /** Indexes in the order of their codewords. */
  readonly #indexes: Uint16Array;
  /** By length: the first codeword, the number of codewords, and the position of the first in `#indexes`. */
  readonly #first = new Int32Array(MAX_BITS + 1);
  readonly #count = new Int32Array(MAX_BITS + 1);
  readonly #from = new Int32Array(MAX_BITS + 1);

  /** `text` as in `huffman-tables.ts`. */
  constructor(text: string) {
    const indexes: number[] = [];
    for (const part of text.split(' | ')) {
      const [length = '', list = ''] = part.split(':');
      this.#from[Number(length)] = indexes.length;
      const ofLength = list.split(' ').map(Number);
      this.#count[Number(length)] = ofLength.length;
      indexes.push(...ofLength);
    }
    this.#indexes = Uint16Array.from(indexes);
    this.#assign();
  }

  get size(): number {
    return this.#indexes.length;
  }

  /** The index of the next codeword. The books are complete: any bits are a codeword. */
  read(bits: BitCursor): number {
    const word = bits.peek(MAX_BITS);
    const entry = this.#short[word >>> (MAX_BITS - SHORT_BITS)] as number;
    if (entry !== 0) {
      bits.skip(entry >>> SHORT_BITS);
      return entry & ((1 << SHORT_BITS) - 1);
    }
    for (let length = SHORT_BITS + 1; length <= MAX_BITS; length++) {
      const nth = (word >>> (MAX_BITS - length)) - (this.#first[length] as number);
      if (nth >= (this.#count[length] as number)) continue;
      bits.skip(length);
      return this.#indexes[(this.#from[length] as number) + nth] as number;
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
        this.#short.fill((length << SHORT_BITS) | index, from, from + (1 << (SHORT_BITS - length)));
      }
      code += count;
    }
  }
}

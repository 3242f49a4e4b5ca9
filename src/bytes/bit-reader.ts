import { WireError } from './wire-error.js';

/** Exp-Golomb codes of 32-bit fields have at most 32 leading zeros (H.264 9.1). */
const MAX_LEADING_ZEROS = 32;

/**
 * Reads bits from most to least significant. Reading past the end throws: zeros in place of missing bits would look like
 * valid values. Results are unsigned (except `se`) and exact up to 32 bits.
 */
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #clause: string;
  readonly #endBit: number;
  #bit = 0;

  constructor(bytes: Uint8Array, clause: string) {
    this.#bytes = bytes;
    this.#clause = clause;
    this.#endBit = bytes.length * 8;
  }

  /** Position of the next bit. */
  get bitOffset(): number {
    return this.#bit;
  }

  get bitsLeft(): number {
    return this.#endBit - this.#bit;
  }

  #need(bits: number): void {
    if (bits > this.#endBit - this.#bit) {
      throw new WireError(
        'WIRE_TRUNCATED',
        `${bits} bits requested, ${this.#endBit - this.#bit} left at bit ${this.#bit}`,
        this.#clause,
        this.#bit >>> 3,
      );
    }
  }

  /** u(n), 0 <= n <= 32, unsigned. */
  u(bits: number): number {
    if (bits < 0 || bits > 32) throw new RangeError(`u(${bits}) is not a field width`);
    this.#need(bits);
    let value = 0;
    let left = bits;
    while (left > 0) {
      const byte = this.#bytes[this.#bit >>> 3] as number;
      const inByte = 8 - (this.#bit & 7);
      const take = Math.min(left, inByte);
      const part = (byte >>> (inByte - take)) & ((1 << take) - 1);
      // Multiplied, not shifted: a shift would turn a 32-bit field negative.
      value = value * (1 << take) + part;
      this.#bit += take;
      left -= take;
    }
    return value;
  }

  flag(): boolean {
    return this.u(1) === 1;
  }

  skip(bits: number): void {
    this.#need(bits);
    this.#bit += bits;
  }

  /** Moves to the next byte boundary. */
  align(): void {
    this.#bit = (this.#bit + 7) & ~7;
  }

  /** ue(v), H.264 9.1: 0 to 2^32 - 2. */
  ue(): number {
    let zeros = 0;
    while (this.u(1) === 0) {
      zeros++;
      if (zeros > MAX_LEADING_ZEROS) {
        throw new WireError('WIRE_EXP_GOLOMB', 'an Exp-Golomb code longer than 32 bits', this.#clause, this.#bit >>> 3);
      }
    }
    if (zeros === MAX_LEADING_ZEROS && this.u(32) !== 0) {
      throw new WireError('WIRE_EXP_GOLOMB', 'an Exp-Golomb code above 2^32 - 1', this.#clause, this.#bit >>> 3);
    }
    return zeros === MAX_LEADING_ZEROS ? 0xffff_ffff : 2 ** zeros - 1 + this.u(zeros);
  }

  /** se(v), H.264 9.1.1: 0, 1, -1, 2, -2 … */
  se(): number {
    const code = this.ue();
    const magnitude = Math.ceil(code / 2);
    return code % 2 === 1 ? magnitude : magnitude === 0 ? 0 : -magnitude;
  }

  /** more_rbsp_data(), H.264 7.2: data is left before the stop bit and its trailing zeros. */
  moreRbspData(): boolean {
    let last = this.#bytes.length - 1;
    while (last >= 0 && this.#bytes[last] === 0) last--;
    if (last < 0) return false;
    const byte = this.#bytes[last] as number;
    const stopBit = last * 8 + 7 - Math.log2(byte & -byte);
    return this.#bit < stopBit;
  }
}

/** Writes bits, most significant first: the counterpart of BitReader for building test streams. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #filled = 8;

  get bitLength(): number {
    return this.#bytes.length * 8 - (8 - this.#filled);
  }

  /** `count` bits of an unsigned value; values above 32 bits are fine up to 2^53. */
  u(count: number, value: number): this {
    for (let i = count - 1; i >= 0; i--) this.bit(Math.floor(value / 2 ** i) % 2);
    return this;
  }

  bit(value: number | boolean): this {
    if (this.#filled === 8) {
      this.#bytes.push(0);
      this.#filled = 0;
    }
    if (value) this.#bytes[this.#bytes.length - 1]! |= 0x80 >> this.#filled;
    this.#filled++;
    return this;
  }

  /** Unsigned Exp-Golomb, H.264 9.1. */
  ue(value: number): this {
    const bits = Math.floor(Math.log2(value + 1));
    return this.u(bits, 0).u(bits + 1, value + 1);
  }

  /** Signed Exp-Golomb, H.264 9.1.1. */
  se(value: number): this {
    return this.ue(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Zero bits up to the next byte. */
  align(): this {
    while (this.#filled !== 8) this.bit(0);
    return this;
  }

  /** rbsp_trailing_bits: a one, then zeros up to the next byte. */
  trailing(): this {
    return this.bit(1).align();
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Bytes from hex; blanks are ignored. */
export function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replace(/\s+/g, ''), 'hex'));
}

/** Bytes of hexadecimal digits; white space is ignored. */
export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/\s/g, ''), 'hex'));
}

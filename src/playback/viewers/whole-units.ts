/**
 * Splits bytes into whole FLV tags or WebSocket frames. A viewer receives only whole units, so that it can be moved to
 * another source at any time.
 */

/** Length of the unit at the start of `bytes`; `undefined` when more bytes are needed. */
export type Measure = (bytes: Uint8Array) => number | undefined;

export class UnitTooLongError extends Error {
  override readonly name = 'UnitTooLongError';
}

export class WholeUnits {
  readonly #measure: Measure;
  readonly #maxBytes: number;
  readonly #emit: (unit: Buffer) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #needBytes = 0;

  constructor(measure: Measure, maxBytes: number, emit: (unit: Buffer) => void) {
    this.#measure = measure;
    this.#maxBytes = maxBytes;
    this.#emit = emit;
  }

  /** Copies only the unit that the end of `bytes` cuts. @throws UnitTooLongError */
  push(bytes: Buffer): void {
    let rest = bytes;
    if (this.#waitingBytes > 0) {
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
      if (this.#waitingBytes < this.#needBytes) return;
      rest = Buffer.concat(this.#waiting, this.#waitingBytes);
      this.#waiting = [];
      this.#waitingBytes = 0;
    }
    while (rest.length > 0) {
      const length = this.#measure(rest);
      if (length !== undefined && length > this.#maxBytes) throw new UnitTooLongError(`a unit of ${length} bytes`);
      if (length === undefined || rest.length < length) {
        this.#waiting = [rest];
        this.#waitingBytes = rest.length;
        this.#needBytes = length ?? rest.length + 1;
        return;
      }
      this.#emit(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  }
}

export const FLV_HEADER_BYTES = 13;
const TAG_HEADER_BYTES = 11;
const BACK_POINTER_BYTES = 4;

/** FLV file header and tags, each with the back pointer that follows it (FLV E.2, E.3, E.4.1). */
export function flvUnits(): Measure {
  let begun = false;
  return (bytes) => {
    if (!begun) {
      if (bytes.length < FLV_HEADER_BYTES) return undefined;
      begun = true;
      return FLV_HEADER_BYTES;
    }
    if (bytes.length < TAG_HEADER_BYTES) return undefined;
    return TAG_HEADER_BYTES + uint(bytes, 1, 3) + BACK_POINTER_BYTES;
  };
}

const MASK_BYTES = 4;

/** RFC 6455 5.2. */
export const webSocketFrame: Measure = (bytes) => {
  const header = webSocketHeaderBytes(bytes);
  if (header === undefined || bytes.length < header) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const length = short === 126 ? uint(bytes, 2, 2) : short === 127 ? uint(bytes, 2, 8) : short;
  return header + length;
};

/** Header length, including a client's mask. */
export function webSocketHeaderBytes(bytes: Uint8Array): number | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes[1] ?? 0;
  const short = second & 0x7f;
  return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : MASK_BYTES);
}

export const OPCODE = { binary: 2, close: 8 } as const;

export function webSocketOpcode(frame: Uint8Array): number {
  return (frame[0] ?? 0) & 0x0f;
}

function uint(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = at; i < at + size; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

/** Type and timestamp of the FLV tag at `at`. */
export function tagType(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

export function tagTimeMs(bytes: Uint8Array, at: number): number {
  return uint(bytes, at + 4, 3) + (bytes[at + 7] ?? 0) * 0x1_00_00_00;
}

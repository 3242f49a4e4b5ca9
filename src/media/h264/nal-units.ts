/**
 * NAL units of a frame: length-prefixed as in FLV and MP4 (ISO/IEC 14496-15), and with start codes (H.264 Annex B) for
 * files and tests. The length-prefixed walk reads headers only and copies nothing.
 */
import type { SliceCursor } from '../../bytes/slice-cursor.js';

/** NAL unit types in use here (Table 7-1). */
export const NAL_SLICE = 1;
export const NAL_IDR = 5;
export const NAL_SEI = 6;
export const NAL_SPS = 7;
export const NAL_PPS = 8;

/** A picture of level 4.2 with a slice for each of its 8,704 macroblocks, and more. Bounds the walk of a message full of empty NAL units. */
export const MAX_NAL_UNITS = 10_240;

/** Our own bound, which a valid frame may exceed. */
export const NAL_TOO_MANY = 'NAL_TOO_MANY';

/** A unit is longer than the rest of its frame. */
export const NAL_BEYOND_MESSAGE = 'NAL_BEYOND_MESSAGE';

/** Iterates over the NAL units of one frame. Reused: `start` begins the next frame. */
export class NalWalker {
  /** Type of the current NAL unit, 0 to 31. */
  type = 0;
  /** Its header byte: forbidden_zero_bit, nal_ref_idc, type. */
  header = 0;
  /** Message offset of the current NAL unit's header byte. */
  offset = 0;
  /** Size of the current NAL unit, header included, clipped to the frame. */
  size = 0;
  /** Code of the first fault: NAL_TRUNCATED_LENGTH, NAL_BEYOND_MESSAGE, NAL_ZERO_LENGTH; `NAL_TOO_MANY`, if there was none before the walk was aborted. */
  fault: string | undefined;
  readonly #cursor: SliceCursor;
  #next = 0;
  #end = 0;
  #lengthSize = 4;
  #left = MAX_NAL_UNITS;

  constructor(cursor: SliceCursor) {
    this.#cursor = cursor;
  }

  /** Starts at `offset` of the cursor's current message; the frame ends at `end`. */
  start(offset: number, end: number, lengthSize: number): void {
    this.#next = offset;
    this.#end = end;
    this.#lengthSize = lengthSize;
    this.#left = MAX_NAL_UNITS;
    this.fault = undefined;
  }

  /** Moves to the next NAL unit. False at the end of the frame or if the rest is unreadable. */
  next(): boolean {
    while (this.#next < this.#end) {
      if (this.#left-- === 0) return this.#stop(NAL_TOO_MANY);
      const body = this.#next + this.#lengthSize;
      if (body > this.#end) return this.#stop('NAL_TRUNCATED_LENGTH');
      this.#cursor.seek(this.#next);
      const length = this.#cursor.uint(this.#lengthSize);
      this.#next = body + length;
      if (length === 0) {
        this.fault ??= 'NAL_ZERO_LENGTH';
        continue;
      }
      if (this.#next > this.#end) this.fault ??= NAL_BEYOND_MESSAGE;
      if (body >= this.#end) return this.#stop(NAL_BEYOND_MESSAGE);
      this.offset = body;
      this.size = Math.min(length, this.#end - body);
      this.header = this.#cursor.u8() & 0xff;
      this.type = this.header & 0x1f;
      return true;
    }
    return false;
  }

  /** Whether `max` bytes of the current NAL unit hold a start code, which emulation prevention excludes (7.4.1). */
  hasStartCode(max: number): boolean {
    const cursor = this.#cursor;
    cursor.seek(this.offset + 1);
    const end = Math.min(this.offset + this.size, this.offset + max);
    let zeros = 0;
    while (cursor.position < end) {
      const byte = cursor.u8();
      if (byte < 0) return false;
      if (zeros >= 2 && byte === 1) return true;
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return false;
  }

  /**
   * Copies the current NAL unit's payload, from `skip` bytes after its header, into `out` without emulation prevention bytes
   * (H.264 7.3.1), as far as it fits. Returns the number of bytes.
   */
  readRbsp(out: Uint8Array, skip = 0): number {
    const cursor = this.#cursor;
    cursor.seek(this.offset + 1 + skip);
    const end = this.offset + this.size;
    let size = 0;
    let zeros = 0;
    while (cursor.position < end && size < out.length) {
      const byte = cursor.u8();
      if (byte < 0) break;
      if (zeros >= 2 && byte === 3) {
        zeros = 0;
        continue;
      }
      zeros = byte === 0 ? zeros + 1 : 0;
      out[size++] = byte;
    }
    return size;
  }

  #stop(fault: string): false {
    this.fault ??= fault;
    this.#next = this.#end;
    return false;
  }
}

/** The raw byte sequence payload of a NAL unit from `from` on, as a new array: in 00 00 03 the 03 is not data (H.264 7.3.1, 7.4.1). */
export function unescapeRbsp(nalUnit: Uint8Array, from: number): Uint8Array {
  const out = new Uint8Array(Math.max(0, nalUnit.length - from));
  let size = 0;
  let zeros = 0;
  for (let i = from; i < nalUnit.length; i++) {
    const byte = nalUnit[i] as number;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    out[size++] = byte;
  }
  return out.subarray(0, size);
}

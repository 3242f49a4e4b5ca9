/**
 * Closed captions of one frame: SEI user data registered by ITU-T T.35 with cc_data of ATSC A/53 part 4 (CEA-608 byte pairs
 * and CEA-708 packets). Only their presence and life is read, not their text.
 */

/** country, provider, `GA94`, user_data_type_code 3 (cc_data). */
const CC_DATA_START = [0xb5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03];
const PROCESS_FLAG = 0x40;
const COUNT_MASK = 0x1f;
const VALID_FLAG = 0x04;
const TYPE_MASK = 0x03;
/** CEA-608: 80 80, without the parity bits. */
const PADDING = 0;

export const CAPTIONS_FIELD_1 = 1;
export const CAPTIONS_FIELD_2 = 1 << 1;
export const CAPTIONS_708 = 1 << 2;

/** Reused: call `reset` before each frame. */
export class CaptionData {
  /** The channels that the frame has: bits of the constants above. Padding counts. */
  present = 0;
  /** Those with data other than padding. */
  live = 0;
  /** CEA-608 byte pairs without odd parity, which decoders drop. */
  damaged = 0;

  reset(): void {
    this.present = 0;
    this.live = 0;
    this.damaged = 0;
  }

  /** Reads the payload of an SEI message of type 4 in `bytes[from, to)`. One that is no caption, or is cut, changes nothing. */
  read(bytes: Uint8Array, from: number, to: number): void {
    const at = from + CC_DATA_START.length;
    if (at + 2 > to) return;
    for (let i = 0; i < CC_DATA_START.length; i++) if (bytes[from + i] !== CC_DATA_START[i]) return;
    const flags = bytes[at] as number;
    if ((flags & PROCESS_FLAG) === 0) return;
    const count = flags & COUNT_MASK;
    // The flags are followed by em_data.
    const first = at + 2;
    if (first + 3 * count > to) return;
    for (let i = 0; i < count; i++) {
      const triple = first + 3 * i;
      this.#triple(bytes[triple] as number, bytes[triple + 1] as number, bytes[triple + 2] as number);
    }
  }

  #triple(head: number, one: number, two: number): void {
    const type = head & TYPE_MASK;
    const isValid = (head & VALID_FLAG) !== 0;
    if (type > 1) {
      if (isValid) this.live |= CAPTIONS_708;
      this.present |= CAPTIONS_708;
      return;
    }
    if (!isValid) return;
    const field = type === 0 ? CAPTIONS_FIELD_1 : CAPTIONS_FIELD_2;
    this.present |= field;
    if (!hasOddParity(one) || !hasOddParity(two)) this.damaged++;
    else if (type === 0 ? ((one | two) & 0x7f) !== PADDING : isCaptionControl(one)) this.live |= field;
  }
}

/** Field 2 also carries program information (XDS), whose control codes are below those of captions. */
function isCaptionControl(byte: number): boolean {
  return (byte & 0x7f) >= 0x10 && (byte & 0x7f) < 0x20;
}

function hasOddParity(byte: number): boolean {
  let bits = byte ^ (byte >> 4);
  bits ^= bits >> 2;
  bits ^= bits >> 1;
  return (bits & 1) === 1;
}

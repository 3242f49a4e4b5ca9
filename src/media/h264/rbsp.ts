/** Removal of emulation prevention (H.264 7.3.1, 7.4.1): in 00 00 03 the 03 is not data. */

/** The raw byte sequence payload of a NAL unit from `from` on, as a new array. */
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

/**
 * Inserts the parameter sets of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1) before the NAL units of a key
 * frame, so that frames after a change of settings can be decoded although the MP4 header has only the first configuration.
 */

/** The sets with length fields; `undefined` when the record is invalid or its length fields have another size. */
export function inBandParameterSets(record: Uint8Array, lengthSize: number): Uint8Array | undefined {
  if (record.length < 7 || lengthSizeOf(record) !== lengthSize) return undefined;
  const parts: Uint8Array[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (record[at] ?? 0) & mask;
    at++;
    for (let i = 0; i < count; i++) {
      const size = ((record[at] ?? 0) << 8) | (record[at + 1] ?? 0);
      at += 2;
      if (at + size > record.length) return undefined;
      parts.push(lengthField(size, lengthSize), record.subarray(at, at + size));
      at += size;
    }
  }
  return Buffer.concat(parts);
}

export function lengthSizeOf(record: Uint8Array): number {
  return ((record[4] ?? 3) & 3) + 1;
}

function lengthField(size: number, lengthSize: number): Uint8Array {
  const field = new Uint8Array(lengthSize);
  for (let i = 0; i < lengthSize; i++) field[i] = size / 2 ** (8 * (lengthSize - 1 - i));
  return field;
}

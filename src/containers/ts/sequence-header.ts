/** Size and shape of the pictures of MPEG-1 and MPEG-2 video, by their first sequence header (ISO/IEC 13818-2, 6.2.2.1). */

export interface SequencePicture {
  readonly width: number;
  readonly height: number;
  /** Width over height of a sample; undefined: the header names none, or that of MPEG-1. */
  readonly sampleAspect: number | undefined;
}

const SEQUENCE = 0xb3;
const EXTENSION = 0xb5;
/** Width over height of the picture by aspect_ratio_information (table 6-3); 1 is a square sample. */
const ASPECTS: Readonly<Record<number, number>> = { 2: 4 / 3, 3: 16 / 9, 4: 2.21 };

/** Undefined: no sequence header is there. */
export function sequencePicture(data: Uint8Array): SequencePicture | undefined {
  const at = headerAt(data, SEQUENCE, 0);
  if (at < 0 || at + 4 > data.length) return undefined;
  const byte = (i: number): number => data[at + i] ?? 0;
  const width = (byte(0) << 4) | (byte(1) >> 4);
  const height = ((byte(1) & 15) << 8) | byte(2);
  if (width === 0 || height === 0) return undefined;
  // MPEG-1 has no extension, and the codes mean other things.
  const isMpeg2 = headerAt(data, EXTENSION, at) >= 0;
  const aspect = isMpeg2 ? ASPECTS[byte(3) >> 4] : undefined;
  return { width, height, sampleAspect: aspect === undefined ? undefined : (aspect * height) / width };
}

/** Position behind the start code of this header from `from` on; -1: none. */
function headerAt(data: Uint8Array, code: number, from: number): number {
  for (let one = data.indexOf(1, from + 2); one >= 0 && one + 1 < data.length; one = data.indexOf(1, one + 1)) {
    if (data[one - 1] === 0 && data[one - 2] === 0 && data[one + 1] === code) return one + 2;
  }
  return -1;
}

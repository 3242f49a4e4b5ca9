/** Blocks of Matroska (RFC 9559, 10): frames of one track, alone or laced. */

export interface Block {
  readonly track: number;
  /** Relative to its cluster, in ticks. */
  readonly time: number;
  readonly isKey: boolean;
  /** Positions in the file: start and size of each frame. */
  readonly frames: readonly { readonly at: number; readonly size: number }[];
}

const LACING = 0x06;
const XIPH = 0x02;
const EBML = 0x06;
/** Track number, time, flags, number of frames, and the sizes of up to 256 frames. */
export const BLOCK_HEAD_BYTES = 2048;

/** `head`: the first bytes of a block that fills `[from, to)` of the file. Undefined: no block. */
export function readBlock(head: Uint8Array, from: number, to: number): Block | undefined {
  const numberBytes = Math.clz32(head[0] ?? 0) - 23;
  if (numberBytes > 4 || head.length < numberBytes + 3) return undefined;
  let track = (head[0] ?? 0) & (0xff >> numberBytes);
  for (let i = 1; i < numberBytes; i++) track = track * 256 + (head[i] ?? 0);
  const time = (((head[numberBytes] ?? 0) << 24) >> 16) | (head[numberBytes + 1] ?? 0);
  const flags = head[numberBytes + 2] ?? 0;
  const isKey = (flags & 0x80) !== 0;
  const bodyAt = numberBytes + 3;
  if ((flags & LACING) === 0) return { track, time, isKey, frames: [{ at: from + bodyAt, size: to - from - bodyAt }] };
  const laced = sizesOf(head, bodyAt, flags & LACING, to - from);
  if (laced === undefined) return undefined;
  let at = from + laced.end;
  const frames = laced.sizes.map((size) => {
    const frame = { at, size };
    at += size;
    return frame;
  });
  return at === to ? { track, time, isKey, frames } : undefined;
}

/** Sizes of the frames; `end`: where the first begins. */
function sizesOf(
  head: Uint8Array,
  from: number,
  lacing: number,
  total: number,
): { readonly sizes: number[]; readonly end: number } | undefined {
  const count = (head[from] ?? 0) + 1;
  const sizes: number[] = [];
  let at = from + 1;
  if (lacing === XIPH) {
    while (sizes.length < count - 1) {
      let size = 0;
      for (let byte = 255; byte === 255; size += byte) {
        if (at >= head.length) return undefined;
        byte = head[at++] ?? 0;
      }
      sizes.push(size);
    }
  } else if (lacing === EBML) {
    let size = 0;
    while (sizes.length < count - 1) {
      const field = variable(head, at);
      if (field === undefined) return undefined;
      // The first size as it is, then signed differences.
      size = sizes.length === 0 ? field.value : size + field.value - (2 ** (7 * field.bytes - 1) - 1);
      if (size < 0) return undefined;
      sizes.push(size);
      at += field.bytes;
    }
  } else {
    if ((total - at) % count !== 0) return undefined;
    return { sizes: Array.from({ length: count }, () => (total - at) / count), end: at };
  }
  const last = total - at - sizes.reduce((sum, size) => sum + size, 0);
  return last < 0 ? undefined : { sizes: [...sizes, last], end: at };
}

function variable(bytes: Uint8Array, at: number): { readonly value: number; readonly bytes: number } | undefined {
  const size = Math.clz32(bytes[at] ?? 0) - 23;
  if (size > 8 || at + size > bytes.length) return undefined;
  let value = (bytes[at] ?? 0) & (0xff >> size);
  for (let i = 1; i < size; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return { value, bytes: size };
}

import { SliceList } from '../../src/bytes/slices.js';

/** The bytes cut every `size`, each piece in a buffer of its own and between other bytes, as chunk headers and TLS records leave them. */
export function pieces(bytes: Uint8Array, size: number): SliceList {
  const list = new SliceList();
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    const buffer = new Uint8Array(part.length + 4).fill(0xee);
    buffer.set(part, 2);
    list.push(buffer, 2, 2 + part.length);
  }
  return list;
}

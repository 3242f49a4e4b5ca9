/** Width and height of a JPEG from its frame header (ITU-T T.81, B.2.2). */
export function jpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    // SOF0 to SOF15, except DHT, JPG and DAC, which share the range.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: uint16(bytes, at + 5), width: uint16(bytes, at + 7) };
    at += 2 + uint16(bytes, at + 2);
  }
  return undefined;
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

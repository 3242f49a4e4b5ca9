/** Reads chunk header fields in place (RTMP 1.0 5.3.1). The caller checks that the bytes are present. */

/** Basic header of 3 bytes, message header of 11, extended timestamp of 4. */
export const MAX_HEADER_BYTES = 18;

/** Message header sizes of chunk types 0 to 3 (RTMP 1.0 5.3.1.2). */
export const MESSAGE_HEADER_BYTES = [11, 7, 3, 0] as const;

export function readU24(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

export function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) * 0x1000000 + readU24(bytes, at + 1)) >>> 0;
}

/**
 * Size of the extended timestamp that a type 3 chunk repeats (RTMP 1.0 5.3.1.3) and that older librtmp and OBS omit
 * (obsproject/obs-studio#10097). 4: the next bytes equal `value`. 0: a byte differs, so they are payload. -1: equal so
 * far, but incomplete.
 */
export function matchExtendedTimestamp(bytes: Uint8Array, at: number, end: number, value: number): number {
  for (let i = 0; i < 4; i++) {
    if (at + i >= end) return -1;
    if (bytes[at + i] !== ((value >>> (24 - 8 * i)) & 0xff)) return 0;
  }
  return 4;
}

/** The message stream ID, the only little-endian field of RTMP (RTMP 1.0 5.3.1.2.1). */
export function readStreamId(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

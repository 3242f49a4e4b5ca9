/**
 * The start of an FLV tag whose body may be incomplete: `bytes[from, to)` are the first of its `size` bytes. One object is
 * reused for all tags of a file: valid only during the call.
 */
export interface TagHead {
  kind: 'audio' | 'video';
  /** 0 to 2^32 - 1. */
  timestampMs: number;
  bytes: Uint8Array;
  from: number;
  to: number;
  size: number;
  /** File offset of the tag's first byte. */
  byteOffset: number;
}

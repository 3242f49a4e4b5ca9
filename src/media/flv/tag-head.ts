/**
 * The beginning of an FLV tag, whose body need not have come: `bytes[from, to)` are the first of its `size` bytes. One object
 * is reused for all tags of a file: read it during the call.
 */
export interface TagHead {
  kind: 'audio' | 'video';
  /** 0 to 2^32 - 1. */
  timestampMs: number;
  bytes: Uint8Array;
  from: number;
  to: number;
  size: number;
  /** Of the tag's first byte in the file. */
  byteOffset: number;
}

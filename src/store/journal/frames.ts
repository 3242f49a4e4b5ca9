/**
 * The journal file format: an eight-byte magic number, then frames. A frame is the length of its text (32 bits), the CRC-32
 * of the text (32 bits, both big-endian), and the text, one line of JSON. A truncated write leaves a tail whose length or
 * CRC does not match; the reader stops before it.
 */
import { crc32 } from 'node:zlib';
import type { JournalEntry } from '../../ports/index.js';

export const MAGIC = Buffer.from('ALJRNL1\n');

const HEAD_BYTES = 8;
/** A record is about 2 KB; a larger length is invalid. */
const TEXT_BYTES_MAX = 1 << 20;

/** An entry with its ordinal in this journal, from 1. */
export interface NumberedEntry {
  readonly ordinal: number;
  readonly entry: JournalEntry;
}

/** @throws RangeError for an entry over 1 MiB */
export function encodeFrame({ ordinal, entry }: NumberedEntry): Buffer {
  const text = Buffer.from(`${JSON.stringify({ n: ordinal, e: entry })}\n`);
  if (text.length > TEXT_BYTES_MAX) throw new RangeError('a journal entry is too large');
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(crc32(text), 4);
  return Buffer.concat([head, text]);
}

export interface Decoded {
  readonly entries: readonly NumberedEntry[];
  /** Bytes of complete, valid frames. */
  readonly consumed: number;
  /** False if the bytes that follow are not the start of a valid frame. */
  readonly sound: boolean;
}

/** Reads frames from the start of `bytes`. */
export function decodeFrames(bytes: Buffer): Decoded {
  const entries: NumberedEntry[] = [];
  let consumed = 0;
  while (bytes.length - consumed >= HEAD_BYTES) {
    const length = bytes.readUInt32BE(consumed);
    if (length === 0 || length > TEXT_BYTES_MAX) return { entries, consumed, sound: false };
    const start = consumed + HEAD_BYTES;
    if (bytes.length - start < length) break;
    const text = bytes.subarray(start, start + length);
    if (crc32(text) !== bytes.readUInt32BE(consumed + 4)) return { entries, consumed, sound: false };
    const frame: { readonly n: number; readonly e: JournalEntry } = JSON.parse(text.toString());
    entries.push({ ordinal: frame.n, entry: frame.e });
    consumed = start + length;
  }
  return { entries, consumed, sound: true };
}

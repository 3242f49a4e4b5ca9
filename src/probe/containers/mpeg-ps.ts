/**
 * MPEG program streams (ISO/IEC 13818-1 §2.5): MPG, VOB, MOD, TOD, DAT. Packets hold their length; the stream has no end
 * marker that can be relied on. Raw MPEG video begins with a start code as well.
 */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const PACK = 0xba;
const END = 0xb9;
const TAIL_BYTES = 512 * 1024;
const PACKETS_SURE = 4;

export const programStream: Container = { demuxers: ['mpeg', 'mpegvideo', 'm4v'], findTruncation };

function findTruncation(file: FileBytes): string | undefined {
  const head = file.read(0, 4);
  if (!isStart(head, 0) || head[3] !== PACK) return undefined;
  const from = Math.max(0, file.size - TAIL_BYTES);
  const tail = file.read(from, file.size - from);
  const pack = Buffer.from([0, 0, 1, PACK]);
  for (let start = tail.indexOf(pack); start >= 0; start = tail.indexOf(pack, start + 1)) {
    const end = endOfRow(tail, start);
    if (end !== undefined)
      return end.there < end.length ? truncated('the last packet', end.length, end.there) : undefined;
  }
  return undefined;
}

/** Walks the packets to the last one; undefined when these are not packets, or other data follows them. */
function endOfRow(bytes: Buffer, start: number): { length: number; there: number } | undefined {
  let at = start;
  for (let packets = 1; ; packets++) {
    const length = lengthAt(bytes, at);
    if (length === undefined) return undefined;
    const there = bytes.length - at;
    if (length >= there) return packets >= PACKETS_SURE || length === there ? { length, there } : undefined;
    at += length;
    // Some writers pad the last sector with zeros.
    if (packets >= PACKETS_SURE && bytes.subarray(at).every((byte) => byte === 0)) return { length, there: length };
  }
}

function lengthAt(bytes: Buffer, at: number): number | undefined {
  if (at + 14 > bytes.length) return isStart(bytes, at) ? 14 : undefined;
  if (!isStart(bytes, at)) return undefined;
  const id = bytes[at + 3] ?? 0;
  if (id === END) return 4;
  // A pack header has 12 bytes in MPEG-1, and 14 plus stuffing in MPEG-2.
  const isMpeg2 = ((bytes[at + 4] ?? 0) & 0xc0) === 0x40;
  if (id === PACK) return isMpeg2 ? 14 + ((bytes[at + 13] ?? 0) & 7) : 12;
  return id < PACK ? undefined : 6 + bytes.readUInt16BE(at + 4);
}

function isStart(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1;
}

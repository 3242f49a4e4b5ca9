/** Boxes of MP4 and MOV (ISO/IEC 14496-12, 4.2): a size and a type, then content or further boxes. */
import { ByteReader } from '../../bytes/byte-reader.js';
import { PARTS_MAX } from '../source/limits.js';
import { cut } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';

export interface Box {
  readonly type: string;
  /** Position of its size field. */
  readonly at: number;
  /** Position of its content. */
  readonly from: number;
  /** End, which may lie behind that of the file. */
  readonly to: number;
}

/** Size, type and 64-bit size. */
const HEADER_BYTES = 16;
const TYPE = /^[\x20-\x7e\xa9]{4}$/;

/** The box at `at` of a parent that ends at `end`. Undefined: no box begins there. */
export async function boxAt(file: SourceReader, at: number, end: number): Promise<Box | undefined> {
  const head = await file.head(at, HEADER_BYTES);
  if (head.length < 8) return undefined;
  const reader = new ByteReader(head, 'ISO/IEC 14496-12, 4.2');
  const short = reader.u32();
  const type = reader.latin1(4);
  if (!TYPE.test(type)) return undefined;
  // 0: to the end. 1: a 64-bit size follows.
  if (short === 0) return { type, at, from: at + 8, to: end };
  if (short !== 1) return short < 8 ? undefined : { type, at, from: at + 8, to: at + short };
  if (head.length < HEADER_BYTES) return undefined;
  const long = reader.u64();
  return long < HEADER_BYTES ? undefined : { type, at, from: at + HEADER_BYTES, to: at + long };
}

/** Boxes in `[from, to)`; one that says to be longer ends there. */
export async function boxesIn(file: SourceReader, from: number, to: number): Promise<Box[]> {
  const found: Box[] = [];
  for (let at = from; at < to && found.length < PARTS_MAX; ) {
    const box = await boxAt(file, at, to);
    if (box === undefined) break;
    found.push(box.to > to ? { ...box, to } : box);
    at = box.to;
  }
  return found;
}

/** The first box at this path below `inside`. */
export async function boxOf(file: SourceReader, inside: Box, ...path: readonly string[]): Promise<Box | undefined> {
  let box: Box | undefined = inside;
  for (const type of path) {
    if (box === undefined) return undefined;
    box = (await boxesIn(file, box.from, box.to)).find((each) => each.type === type);
  }
  return box;
}

export interface TopLevel {
  readonly moov: Box | undefined;
  readonly problem: string | undefined;
}

const NO_INDEX = 'truncated file or unfinished recording: the index (“moov” box) is missing';

/** The index of a file, and what its own sizes say of its end. With `movie` the walk continues behind it. */
export async function topLevel(file: SourceReader): Promise<TopLevel> {
  let moov: Box | undefined;
  let at = 0;
  for (let boxes = 0; at < file.size && boxes < PARTS_MAX; boxes++) {
    const box = await boxAt(file, at, file.size);
    // Padding or other data behind the last box is no box.
    if (box === undefined) break;
    if (box.to > file.size) {
      return { moov, problem: cut(`the “${box.type}” box`, box.to - box.at, file.size - box.at) };
    }
    if (box.type === 'moov') moov ??= box;
    at = box.to;
  }
  return { moov, problem: moov === undefined ? NO_INDEX : undefined };
}

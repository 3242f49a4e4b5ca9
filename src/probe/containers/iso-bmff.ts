/** MP4, MOV, F4V, 3GP (ISO/IEC 14496-12 §4.2): a sequence of boxes with lengths, one of them (`moov`) the index. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

/** A fragmented recording has two boxes per fragment: a day of half-second fragments. */
const MOST_BOXES = 400_000;

export const isoMedia: Container = {
  demuxers: ['mov', 'mp4', 'm4v', '3gp', '3g2'],
  findTruncation,
};

function findTruncation(file: FileBytes): string | undefined {
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at < file.size && boxes < MOST_BOXES; boxes++) {
    const head = file.read(at, 16);
    if (head.length < 8) return hasIndex ? undefined : NO_INDEX;
    const type = head.toString('latin1', 4, 8);
    // Padding or other data after the last box is not a box.
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) break;
    const length = lengthOf(head, file.size - at);
    if (length === undefined) break;
    if (length > file.size - at) return truncated(`the “${type}” box`, length, file.size - at);
    hasIndex ||= type === 'moov';
    at += length;
  }
  return hasIndex ? undefined : NO_INDEX;
}

const NO_INDEX = 'truncated file or unfinished recording: the index (“moov” box) is missing';

/** Size 0: to the end of the file. Size 1: a 64-bit size follows. */
function lengthOf(head: Buffer, rest: number): number | undefined {
  const length = head.readUInt32BE(0);
  if (length === 0) return rest;
  if (length >= 8) return length;
  if (length !== 1 || head.length < 16) return undefined;
  const long = Number(head.readBigUInt64BE(8));
  return long >= 16 ? long : undefined;
}

/** A track as the index describes it. */
export interface IndexedTrack {
  /** Sample entry of an encrypted track (ISO/IEC 23001-7, 4.2): `encv` or `enca`. */
  readonly encrypted: string | undefined;
  /** The edit list (8.6.6) has several parts, or leaves out the start: players decode frames that they do not show. */
  readonly isEdited: boolean;
}

/** Tracks of an MP4 file, in their order; none for other files. */
export function indexedTracks(file: FileBytes): readonly IndexedTrack[] {
  const [moov] = boxesIn(file, 0, file.size, 'moov');
  if (moov === undefined) return [];
  return boxesIn(file, moov.from, moov.to, 'trak').map((track) => {
    const entries = boxAt(file, track, ['mdia', 'minf', 'stbl', 'stsd']);
    // Version and flags, number of entries, length of the first.
    const entry = entries === undefined ? '' : file.read(entries.from + 12, 4).toString('latin1');
    return { encrypted: entry === 'encv' || entry === 'enca' ? entry : undefined, isEdited: isEdited(file, track) };
  });
}

/** More of a track than its first picture is decoded ahead of its presentation, or than the priming of an audio encoder. */
const START_S = 0.1;
/** An editor makes hundreds of cuts. */
const MOST_EDITS = 100_000;

function isEdited(file: FileBytes, track: Box): boolean {
  const list = boxAt(file, track, ['edts', 'elst']);
  const header = boxAt(file, track, ['mdia', 'mdhd']);
  if (list === undefined || header === undefined) return false;
  const isLong = file.read(list.from, 1)[0] === 1;
  const count = Math.min(number(file, list.from + 4), MOST_EDITS);
  const size = isLong ? 20 : 12;
  const table = file.read(list.from + 8, Math.min(count * size, list.to - list.from - 8));
  const starts: number[] = [];
  for (let at = 0; at + size <= table.length; at += size) {
    const start = isLong ? Number(table.readBigInt64BE(at + 8)) : table.readInt32BE(at + 4);
    // -1: nothing is shown for a while.
    if (start >= 0) starts.push(start);
  }
  // Creation and modification time come before the time scale.
  const scaleAt = header.from + (file.read(header.from, 1)[0] === 1 ? 20 : 12);
  return starts.length > 1 || (starts[0] ?? 0) > START_S * number(file, scaleAt);
}

function boxAt(file: FileBytes, inside: Box, path: readonly string[]): Box | undefined {
  return path.reduce<Box | undefined>((box, type) => box && boxesIn(file, box.from, box.to, type)[0], inside);
}

function number(file: FileBytes, at: number): number {
  const bytes = file.read(at, 4);
  return bytes.length === 4 ? bytes.readUInt32BE(0) : 0;
}

interface Box {
  readonly from: number;
  readonly to: number;
}

/** Contents of the boxes of a type in `[from, to)`. */
function boxesIn(file: FileBytes, from: number, to: number, type: string): Box[] {
  const found: Box[] = [];
  let at = from;
  for (let boxes = 0; at < to && boxes < MOST_BOXES; boxes++) {
    const head = file.read(at, 16);
    const length = head.length < 8 ? undefined : lengthOf(head, to - at);
    if (length === undefined || length > to - at) break;
    const isWanted = head.toString('latin1', 4, 8) === type;
    if (isWanted) found.push({ from: at + (head.readUInt32BE(0) === 1 ? 16 : 8), to: at + length });
    // There is one index, and nothing behind it is of interest.
    if (isWanted && type === 'moov') break;
    at += length;
  }
  return found;
}

/** Real files have a handful of boxes before `moov` or `mdat`. */
const BOXES_MAX = 200;

/** Whether `moov` precedes `mdat`. */
export async function isFastStart(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    let at = 0;
    for (let count = 0; count < BOXES_MAX; count++) {
      const box = await readBox(file, at);
      if (box === undefined || box.type === 'mdat') return false;
      if (box.type === 'moov') return true;
      at += box.size;
    }
    return false;
  } finally {
    await file.close();
  }
}

async function readBox(file: FileHandle, at: number): Promise<{ size: number; type: string } | undefined> {
  const header = Buffer.alloc(16);
  const { bytesRead } = await file.read(header, 0, 16, at);
  if (bytesRead < 8) return undefined;
  const short = header.readUInt32BE(0);
  const size = short === 1 && bytesRead === 16 ? Number(header.readBigUInt64BE(8)) : short;
  // 0: to the end of the file. Other sizes below that of a header are invalid.
  return size < 8 || !Number.isSafeInteger(size) ? undefined : { size, type: header.toString('latin1', 4, 8) };
}

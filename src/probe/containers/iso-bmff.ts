/** MP4, MOV, F4V, 3GP (ISO/IEC 14496-12 §4.2): a sequence of boxes with lengths, one of them (`moov`) the index. */
import { type FileHandle, open } from 'node:fs/promises';
import { ascii, type Container, type Format, named, opened, UNKNOWN } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

/** Major brands (ISO/IEC 14496-12, 4.3) that are not plain MP4. */
const BRANDS: readonly (readonly [RegExp, string, boolean])[] = [
  [/^3g2/, '3g2', true],
  [/^3(gp|gs|ge|gr|gg|gh)/, '3gp', true],
  [/^qt/, 'mov', true],
  [/^M4V/, 'm4v', true],
  [/^(F4V|F4P|f4v)/, 'f4v', true],
  [/^(M4A|M4B|M4P|F4A|F4B)/, 'm4a', false],
  [/^(heic|heix|hevc|hevx|mif1|msf1|avif|avis|crx )/, 'heif', false],
];
/** First boxes of QuickTime files that predate `ftyp`. */
const OLD_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);
/** A segment of a fragmented file, incomplete by itself: checked where ffprobe opens it, but never forced on ffmpeg. */
const SEGMENT_BOX = 'styp';
/** A fragmented recording has two boxes per fragment: a day of half-second fragments. */
const MOST_BOXES = 400_000;

export const isoMedia: Container = {
  demuxers: ['mov', 'mp4', 'm4v', '3gp', '3g2'],
  recognize,
  findTruncation,
};

function recognize(head: Buffer): Format | undefined {
  const box = ascii(head, 4, 4);
  if (box === SEGMENT_BOX) return UNKNOWN;
  if (box !== 'ftyp') return OLD_BOXES.has(box) ? opened('mov', 'mov') : undefined;
  const brand = ascii(head, 8, 4);
  const [, container, isOpened] = BRANDS.find(([pattern]) => pattern.test(brand)) ?? [undefined, 'mp4', true];
  return isOpened ? opened(container, 'mov') : named(container);
}

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

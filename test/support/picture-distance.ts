/** How far two pictures of a page are apart to the eye, without what changes from run to run. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** About a letter: its anti-aliasing is averaged, another letter is not. */
const BLOCK_PX = 8;
/** Of 255, in any of red, green and blue. */
const LEVELS = 14;
/** Around what moves: a number may be one digit longer. */
const MARGIN_PX = 12;

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';

/** Left, top, width, height in pixels. */
export type Area = readonly [number, number, number, number];

interface Blocks {
  readonly columns: number;
  readonly rows: number;
  readonly heightPx: number;
  /** The mean color of each block. */
  readonly rgb: Uint8Array;
}

export interface PictureDistance {
  /** Blocks of 8 by 8 pixels that differ, of those that both pictures have and that do not move. */
  readonly blocks: number;
  /** Blocks that were compared. */
  readonly compared: number;
  readonly heightPx: number;
}

export async function pictureDistance(
  one: string,
  other: string,
  moving: readonly Area[] = [],
): Promise<PictureDistance> {
  const [a, b] = await Promise.all([blocksOf(one), blocksOf(other)]);
  if (a.columns !== b.columns) throw new Error(`${one} and ${other} are not of one width`);
  const rows = Math.min(a.rows, b.rows);
  const skipped = blocksIn(moving, a.columns, rows);
  let blocks = 0;
  let compared = 0;
  for (let at = 0; at < rows * a.columns; at++) {
    if (skipped[at] === 1) continue;
    compared++;
    if (differs(a.rgb, b.rgb, at * 3)) blocks++;
  }
  return { blocks, compared, heightPx: Math.abs(a.heightPx - b.heightPx) };
}

function differs(a: Uint8Array, b: Uint8Array, at: number): boolean {
  return [0, 1, 2].some((color) => Math.abs((a[at + color] ?? 0) - (b[at + color] ?? 0)) > LEVELS);
}

function blocksIn(areas: readonly Area[], columns: number, rows: number): Uint8Array {
  const found = new Uint8Array(columns * rows);
  const blockOf = (px: number): number => Math.floor(px / BLOCK_PX);
  for (const [left, top, width, height] of areas) {
    for (let row = Math.max(0, blockOf(top)); row <= Math.min(rows - 1, blockOf(top + height)); row++) {
      const from = row * columns + Math.max(0, blockOf(left - MARGIN_PX));
      found.fill(1, from, row * columns + Math.min(columns, blockOf(left + width + MARGIN_PX) + 1));
    }
  }
  return found;
}

async function blocksOf(file: string): Promise<Blocks> {
  const { width, height } = await sizeOf(file);
  const [columns, rows] = [Math.floor(width / BLOCK_PX), Math.floor(height / BLOCK_PX)];
  const scale = `format=rgb24,crop=${columns * BLOCK_PX}:${rows * BLOCK_PX}:0:0,scale=${columns}:${rows}:flags=area`;
  const args = ['-v', 'error', '-i', file, '-vf', scale, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const { stdout } = await promisify(execFile)(FFMPEG, args, { encoding: 'buffer', maxBuffer: 1e8 });
  return { columns, rows, heightPx: height, rgb: stdout };
}

/** From the header of the PNG file. */
async function sizeOf(file: string): Promise<{ readonly width: number; readonly height: number }> {
  const png = await readFile(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

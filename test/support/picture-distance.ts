/** How far two pictures of a page are apart to the eye: text may be drawn otherwise, a layout may not. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A line of text with its distance to the next: the same words in another font are one gray. */
const BLOCK_PX = 24;
/** Of 255: a card, a table or a line of text in place of nothing differs by more. */
const LEVELS = 12;

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';

interface Blocks {
  readonly columns: number;
  readonly rows: number;
  /** The mean gray of each block. */
  readonly gray: Uint8Array;
}

export interface PictureDistance {
  /** Share of the blocks that differ, of those that both pictures have. */
  readonly blocks: number;
  /** By how much one is higher than the other, as a share of the higher one. */
  readonly height: number;
}

export async function pictureDistance(one: string, other: string): Promise<PictureDistance> {
  const [a, b] = await Promise.all([blocksOf(one), blocksOf(other)]);
  if (a.columns !== b.columns) return { blocks: 1, height: 1 };
  const rows = Math.min(a.rows, b.rows);
  const count = rows * a.columns;
  let differ = 0;
  for (let at = 0; at < count; at++) {
    if (Math.abs((a.gray[at] ?? 0) - (b.gray[at] ?? 0)) > LEVELS) differ += 1;
  }
  return { blocks: differ / count, height: Math.abs(a.rows - b.rows) / Math.max(a.rows, b.rows) };
}

async function blocksOf(file: string): Promise<Blocks> {
  const { width, height } = await sizeOf(file);
  const [columns, rows] = [Math.floor(width / BLOCK_PX), Math.floor(height / BLOCK_PX)];
  const scale = `crop=${columns * BLOCK_PX}:${rows * BLOCK_PX}:0:0,scale=${columns}:${rows}:flags=area,format=gray`;
  const args = ['-v', 'error', '-i', file, '-vf', scale, '-frames:v', '1', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(FFMPEG, args, { encoding: 'buffer', maxBuffer: 1e8 });
  return { columns, rows, gray: stdout };
}

/** From the header of the PNG file. */
async function sizeOf(file: string): Promise<{ readonly width: number; readonly height: number }> {
  const png = await readFile(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

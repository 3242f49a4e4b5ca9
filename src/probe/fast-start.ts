/** Whether an MP4 names its samples before it holds them (ISO/IEC 14496-12, 4.2: boxes of the file, by size and type). */
import { type FileHandle, open } from 'node:fs/promises';

/** Real files have a handful before either. */
const BOXES_MAX = 200;

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
  // 0: to the end of the file; anything else below a header's size is damage.
  return size < 8 || !Number.isSafeInteger(size) ? undefined : { size, type: header.toString('latin1', 4, 8) };
}

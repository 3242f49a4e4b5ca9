/** The entries in the journal files of a data folder as they stand now, read beside the processes that write them. */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../lib/errors.js';
import type { JournalEntry } from '../../ports/index.js';
import { decodeFrames, MAGIC } from './frames.js';
import { parseSegmentFileName } from './segment-name.js';

/** Frames are a mebibyte at most, and their head. */
const READ_BYTES = (1 << 20) + 1_024;
/** Files are renamed when a process takes over those of another that ended: seldom, and seldom twice in a row. */
const TRIES = 20;

interface OpenFile {
  readonly handle: FileHandle;
  /** What is written later belongs to a later moment. */
  readonly size: number;
}

export interface JournalSnapshot {
  batches(): AsyncIterable<readonly JournalEntry[]>;
  close(): Promise<void>;
}

/** Names of the journal files, in the order in which they were written. */
export async function journalFiles(dataDir: string): Promise<string[]> {
  try {
    return (await readdir(join(dataDir, 'journal')))
      .map((file) => ({ file, number: parseSegmentFileName(file)?.number }))
      .filter(({ number }) => number !== undefined)
      .sort((one, two) => (one.number ?? 0) - (two.number ?? 0))
      .map(({ file }) => file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Opens all files, so that it does not matter when one of them is removed. Take it before the snapshot of the store: an
 * entry is then in the store, in the journal, or in both.
 */
export async function snapshotJournal(dataDir: string): Promise<JournalSnapshot> {
  for (let tries = 1; ; tries += 1) {
    const names = await journalFiles(dataDir);
    const files = await openAll(dataDir, names);
    // A file that was renamed meanwhile may have been missed, or stand in another place in the order.
    const isSame = files.length === names.length && (await journalFiles(dataDir)).join() === names.join();
    if (isSame) {
      return {
        batches: () => entriesOf(files),
        close: () => closeAll(files),
      };
    }
    await closeAll(files);
    if (tries === TRIES) throw new Error(`the journal files in ${dataDir} do not stand still`);
  }
}

async function openAll(dataDir: string, names: readonly string[]): Promise<OpenFile[]> {
  const files: OpenFile[] = [];
  for (const name of names) {
    try {
      const handle = await open(join(dataDir, 'journal', name), 'r');
      files.push({ handle, size: (await handle.stat()).size });
    } catch (error) {
      if (codeOf(error) === 'ENOENT') break;
      await closeAll(files);
      throw error;
    }
  }
  return files;
}

async function closeAll(files: readonly OpenFile[]): Promise<void> {
  for (const { handle } of files) await handle.close();
}

async function* entriesOf(files: readonly OpenFile[]): AsyncGenerator<readonly JournalEntry[]> {
  const buffer = Buffer.alloc(READ_BYTES);
  for (const { handle, size } of files) {
    const { bytesRead } = await handle.read(buffer, 0, MAGIC.length, 0);
    if (!MAGIC.equals(buffer.subarray(0, bytesRead))) continue;
    for (let offset = MAGIC.length; offset < size; ) {
      const read = await handle.read(buffer, 0, Math.min(READ_BYTES, size - offset), offset);
      const { entries, consumed } = decodeFrames(buffer.subarray(0, read.bytesRead));
      if (entries.length > 0) yield entries.map(({ entry }) => entry);
      // The rest is a frame that was being written, or was cut off.
      if (consumed === 0) break;
      offset += consumed;
    }
  }
}

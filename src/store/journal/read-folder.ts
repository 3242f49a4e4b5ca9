/** Reads the current entries of the journal files of a data folder, while other processes write them. */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../lib/errors.js';
import type { JournalEntry } from '../../ports/index.js';
import { decodeFrames, MAGIC } from './frames.js';
import { parseSegmentFileName } from './segment-name.js';

/** A frame is at most 1 MiB plus its header. */
const READ_BYTES = (1 << 20) + 1_024;
/** Files are renamed when a process adopts those of a dead one, which rarely happens twice in a row. */
const TRIES = 20;

interface OpenFile {
  readonly handle: FileHandle;
  /** Size at the snapshot; bytes written later are not read. */
  readonly size: number;
}

export interface JournalSnapshot {
  batches(): AsyncIterable<readonly JournalEntry[]>;
  close(): Promise<void>;
}

/** Names of the journal files, oldest first. */
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
 * Opens all files at once, so that later removals do not matter. Call it before the snapshot of the store: every entry is
 * then in the store, in the journal, or in both.
 */
export async function snapshotJournal(dataDir: string): Promise<JournalSnapshot> {
  for (let tries = 1; ; tries += 1) {
    const names = await journalFiles(dataDir);
    const files = await openAll(dataDir, names);
    // A file that was renamed meanwhile may be missing or out of order.
    const isSame = files.length === names.length && (await journalFiles(dataDir)).join() === names.join();
    if (isSame) {
      return {
        batches: () => entriesOf(files),
        close: () => closeAll(files),
      };
    }
    await closeAll(files);
    if (tries === TRIES) throw new Error(`the journal files in ${dataDir} keep changing`);
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
      // The rest is a frame that is still being written, or was truncated.
      if (consumed === 0) break;
      offset += consumed;
    }
  }
}

/** One file of a journal. Its holder appends to it; the drain reads from the start of any frame. */
import { codeOf } from '../../lib/errors.js';
import { type Decoded, decodeFrames, MAGIC } from './frames.js';

const READ_BYTES = 256 * 1_024;

/** An open file, as `node:fs/promises` has it. */
export interface JournalFile {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>;
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<{ readonly size: number }>;
  truncate(size: number): Promise<void>;
  utimes(accessed: Date, modified: Date): Promise<void>;
  close(): Promise<void>;
}

/** The file system of a journal: `node:fs/promises`, or a model that loses what a process that dies had not written. */
export interface JournalFiles {
  mkdir(path: string, options: { readonly recursive: true; readonly mode: number }): Promise<unknown>;
  readdir(path: string): Promise<readonly string[]>;
  rename(from: string, to: string): Promise<void>;
  stat(path: string): Promise<{ readonly mtimeMs: number }>;
  open(path: string, flags: 'wx+' | 'r', mode?: number): Promise<JournalFile>;
  unlink(path: string): Promise<void>;
}

export class Segment {
  readonly path: string;
  readonly createdMs: number;
  /** Bytes of valid frames; a failed write may have left more behind them. */
  size: number;
  firstOrdinal = 0;
  lastOrdinal = 0;
  /** Time at which the store had all entries; `undefined` before that. */
  storedAtMs: number | undefined;
  /** For an adopted file: offset up to which it is drained. */
  drained = MAGIC.length;
  readonly #files: JournalFiles;
  #handle: JournalFile | undefined;

  static async create(files: JournalFiles, path: string, nowMs: number): Promise<Segment> {
    const handle = await files.open(path, 'wx+', 0o600);
    try {
      await writeAll(handle, MAGIC, 0);
    } catch (error) {
      await handle.close();
      await files.unlink(path);
      throw error;
    }
    return new Segment(files, path, nowMs, MAGIC.length, handle);
  }

  /** Opens a file left by another journal; removes an empty one. @throws Error if it is not a journal file */
  static async adopt(files: JournalFiles, path: string, nowMs: number): Promise<Segment | undefined> {
    const handle = await files.open(path, 'r');
    const { size } = await handle.stat();
    const head = Buffer.alloc(Math.min(MAGIC.length, size));
    await handle.read(head, 0, head.length, 0);
    const ours = head.equals(MAGIC.subarray(0, head.length));
    if (ours && size > MAGIC.length) return new Segment(files, path, nowMs, size, handle);
    await handle.close();
    if (!ours) throw new Error(`${path} is not an error journal`);
    await files.unlink(path);
    return undefined;
  }

  private constructor(files: JournalFiles, path: string, createdMs: number, size: number, handle: JournalFile) {
    this.#files = files;
    this.path = path;
    this.createdMs = createdMs;
    this.size = size;
    this.#handle = handle;
  }

  /**
   * Appends in one write, while `beside` is under way. If either fails the file is unchanged: what was written is truncated
   * or lies past `size`.
   */
  async append(bytes: Buffer, beside?: Promise<unknown>): Promise<void> {
    const handle = this.#open();
    const outcomes = await Promise.allSettled([writeAll(handle, bytes, this.size), beside]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      await handle.truncate(this.size).catch(() => undefined);
      throw failed.reason;
    }
    this.size += bytes.length;
  }

  /** Frames from `offset` on, a few hundred at a time. `consumed` 0 means the end or, if not `sound`, a torn tail. */
  async read(offset: number): Promise<Decoded> {
    const end = this.size;
    for (let bytes = READ_BYTES; ; bytes *= 4) {
      const buffer = Buffer.alloc(Math.min(bytes, Math.max(end - offset, 0)));
      const { bytesRead } = await this.#open().read(buffer, 0, buffer.length, offset);
      const decoded = decodeFrames(buffer.subarray(0, bytesRead));
      const complete = bytesRead < bytes || decoded.consumed > 0 || !decoded.sound;
      if (complete) return decoded;
    }
  }

  /** Heartbeat for processes in other pid namespaces. */
  async touch(now: Date): Promise<void> {
    await this.#handle?.utimes(now, now);
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async remove(): Promise<void> {
    await this.close();
    try {
      await this.#files.unlink(this.path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  #open(): JournalFile {
    if (this.#handle === undefined) throw new Error(`the journal file ${this.path} is closed`);
    return this.#handle;
  }
}

async function writeAll(handle: JournalFile, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    // A full disk may accept part of a write.
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

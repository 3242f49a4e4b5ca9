/**
 * One byte in a file of the journal's folder: whether the journal of a process has entries that the store lacks. It is set
 * before an entry is pushed to an encoder, so that other processes of this machine need not ask before each read of records.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { lifeOf, ownIdentity } from '../shared/process-identity.js';

const PENDING = Buffer.of(1);
const NONE = Buffer.of(0);
const NAME = /^([0-9a-z]+)\.(\d+)\.(\d+)\.([0-9a-z-]{1,64})\.pending$/;

const folderOf = (dataDir: string): string => join(dataDir, 'journal');

/** The side of the process that writes. Not synchronously: a disk that is busy with recordings would stop its streams. */
export class PendingMark {
  readonly #path: string;
  readonly #file: FileHandle;
  #isSet = false;
  #marked: Promise<unknown> = Promise.resolve();
  /** Writes follow each other; it never rejects. */
  #writes: Promise<unknown> = Promise.resolve();

  /** `holder`: the ID by which other processes know this one. Removes marks of processes that ended without closing theirs. */
  static async open(dataDir: string, holder: string): Promise<PendingMark> {
    const folder = folderOf(dataDir);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const [, space = '', pid, start = ''] = NAME.exec(name) ?? [];
      if (pid !== undefined && lifeOf({ space, pid: Number(pid), start }) === 'dead') await remove(join(folder, name));
    }
    const { space, pid, start } = ownIdentity();
    const path = join(folder, `${space}.${pid}.${start}.${holder}.pending`);
    const file = await open(path, 'w', 0o600);
    await file.write(NONE, 0, 1, 0);
    return new PendingMark(path, file);
  }

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Rejects if the disk refuses; nothing may then be pushed before the store has it. */
  set(): Promise<unknown> {
    if (this.#isSet) return this.#marked;
    this.#isSet = true;
    this.#marked = this.#writes.then(() => this.#file.write(PENDING, 0, 1, 0));
    this.#writes = this.#marked.catch(() => {
      this.#isSet = false;
    });
    return this.#marked;
  }

  /** A mark that the disk does not clear stays set, which costs other processes a question. */
  clear(): void {
    if (!this.#isSet) return;
    this.#isSet = false;
    this.#writes = this.#writes.then(() => this.#file.write(NONE, 0, 1, 0)).catch(ignored);
  }

  async close(): Promise<void> {
    await this.#writes;
    // Readers that have the file open find it empty, and ask.
    await this.#file.truncate().catch(ignored);
    await this.#file.close();
    await remove(this.#path);
  }
}

/** The side of the process that reads: the marks of other processes. */
export class PendingMarks {
  readonly #folder: string;
  readonly #files = new Map<string, number>();
  readonly #byte = Buffer.alloc(1);

  constructor(dataDir: string) {
    this.#folder = folderOf(dataDir);
  }

  /** Whether one of these processes has to be asked: its mark is set, or cannot be read. */
  isAnyPending(holders: readonly string[]): boolean {
    if (this.#files.size > holders.length) this.#forgetOthers(holders);
    return holders.some((holder) => this.#isPending(holder));
  }

  close(): void {
    this.#forgetOthers([]);
  }

  #isPending(holder: string): boolean {
    const file = this.#files.get(holder) ?? this.#open(holder);
    if (file === undefined) return true;
    try {
      return readSync(file, this.#byte, 0, 1, 0) !== 1 || this.#byte[0] !== NONE[0];
    } catch {
      return true;
    }
  }

  #forgetOthers(holders: readonly string[]): void {
    for (const [holder, file] of this.#files) {
      if (holders.includes(holder)) continue;
      closeSync(file);
      this.#files.delete(holder);
    }
  }

  #open(holder: string): number | undefined {
    try {
      const name = readdirSync(this.#folder).find((each) => NAME.exec(each)?.[4] === holder);
      if (name === undefined) return undefined;
      const file = openSync(join(this.#folder, name), 'r');
      this.#files.set(holder, file);
      return file;
    } catch {
      return undefined;
    }
  }
}

const ignored = (): undefined => undefined;

/** A file that stays is removed by a later process. */
const remove = (path: string): Promise<void> => unlink(path).catch(ignored);

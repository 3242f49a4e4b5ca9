/**
 * The folder that a run writes to. Nothing in it is trusted: a program that a file has taken over can leave a link to a
 * secret, a pipe that blocks the process that opens it, or a folder that cannot be removed.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../lib/errors.js';
import { removeTree } from '../../lib/remove-tree.js';

/** A file that a run left cannot be used. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code = 'OUTPUT_REFUSED';
}

/** Neither follows a link, nor waits for the other end of a pipe. Systems without these flags have no sandbox. */
const FILE_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);
/** Error codes for a link (Linux, then FreeBSD) and for a socket. */
const NO_FILE: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EOPNOTSUPP'];
/** Mode for the server alone; a run that reads it later is admitted by its group. */
const MODE = 0o600;
const CLOSED = -1;

export class RunFolder {
  readonly path: string;
  #descriptor: number;

  /** Before a run can write to it. */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, FOLDER_FLAGS);
  }

  /**
   * A regular file of this user (absent: of any) without another name, for reading. It stays the same file whatever the
   * run does to its name. @throws OutputError, ENOENT
   */
  async file(name: string, user: number | undefined): Promise<FileHandle> {
    const file = await open(this.#at(name), FILE_FLAGS).catch((error: unknown) => {
      throw NO_FILE.includes(codeOf(error)) ? new OutputError(`${name} is a link or a socket`) : error;
    });
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new OutputError(`${name} is no regular file`);
      // None: a playlist is replaced, and a segment removed, while it is opened.
      if (found.nlink > 1) throw new OutputError(`${name} has ${found.nlink} names`);
      if (user !== undefined && found.uid !== user) throw new OutputError(`${name} belongs to another user`);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Moves a file, which becomes one of the server, within the file system. @throws as `file` */
  async move(name: string, user: number | undefined, to: string): Promise<void> {
    const file = await this.file(name, user);
    try {
      if (process.getuid?.() === 0) await file.chown(0, process.getgid?.() ?? 0);
      await file.chmod(MODE);
      await rename(this.#at(name), to);
      const [opened, moved] = await Promise.all([file.stat({ bigint: true }), lstat(to, { bigint: true })]);
      if (opened.ino === moved.ino && opened.dev === moved.dev) return;
      await rm(to, { force: true });
      throw new OutputError(`${name} was replaced`);
    } finally {
      await file.close();
    }
  }

  async remove(): Promise<void> {
    if (this.#descriptor !== CLOSED) closeSync(this.#descriptor);
    this.#descriptor = CLOSED;
    await removeTree(this.path);
  }

  /** Through the descriptor of the folder where the system has paths for descriptors. */
  #at(name: string): string {
    return join(process.platform === 'linux' ? `/proc/self/fd/${this.#descriptor}` : this.path, name);
  }
}

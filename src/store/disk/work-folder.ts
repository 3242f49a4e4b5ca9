/**
 * Temporary files of jobs and requests: a folder for each process below `<data>/work`. Files of a dead process are
 * removed after a day, or as soon as their job runs again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, opendir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../lib/remove-tree.js';

const LIFE_MS = 86_400_000;

export class WorkFolder {
  readonly #root: string;
  readonly #own: string;

  private constructor(root: string, own: string) {
    this.#root = root;
    this.#own = own;
  }

  static async open(root: string): Promise<WorkFolder> {
    const own = join(root, randomUUID());
    await mkdir(own, { recursive: true, mode: 0o700 });
    return new WorkFolder(root, own);
  }

  /** The folder of all processes. */
  get root(): string {
    return this.#root;
  }

  /** A unique path. */
  path(suffix = ''): string {
    return join(this.#own, randomUUID() + suffix);
  }

  /** Runs `use` with a temporary folder, which is removed afterwards in any case. */
  async within<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = this.path();
    await mkdir(folder, { mode: 0o700 });
    try {
      return await use(folder);
    } finally {
      await removeTree(folder);
    }
  }

  /** Removes folders of dead processes. Must run every hour: a folder's modification time shows that its process lives. */
  async sweep(nowMs: number): Promise<number> {
    let removed = 0;
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    await utimes(this.#own, new Date(nowMs), new Date(nowMs));
    for await (const entry of await opendir(this.#root)) {
      const path = join(this.#root, entry.name);
      if (path === this.#own) continue;
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || nowMs - found.mtimeMs < LIFE_MS) continue;
      await removeTree(path);
      removed++;
    }
    return removed;
  }

  async close(): Promise<void> {
    await removeTree(this.#own);
  }
}

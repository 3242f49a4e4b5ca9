/**
 * Where jobs and requests keep files that are not whole yet: a folder of this process below `<data>/work`. What a dead
 * process left there is removed once it is a day old, or at once when its job is run again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, opendir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

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

  /** A path that nobody else has. */
  path(suffix = ''): string {
    return join(this.#own, randomUUID() + suffix);
  }

  /** A folder of its own for the time of `use`; removed afterwards, whatever happened. */
  async within<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = this.path();
    await mkdir(folder, { mode: 0o700 });
    try {
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes what processes left that are gone. Asked for every hour: that one's own folder lives is told by its time. */
  async sweep(nowMs: number): Promise<number> {
    let removed = 0;
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    await utimes(this.#own, new Date(nowMs), new Date(nowMs));
    for await (const entry of await opendir(this.#root)) {
      const path = join(this.#root, entry.name);
      if (path === this.#own) continue;
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || nowMs - found.mtimeMs < LIFE_MS) continue;
      await rm(path, { recursive: true, force: true });
      removed++;
    }
    return removed;
  }

  async close(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
  }
}

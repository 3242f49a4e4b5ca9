/** A disk of a given size, for as long as a test lasts: tmpfs in a mount namespace of its own, which needs no root. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCode } from '../../src/lib/errors.js';

export class SmallDisk {
  /** Leads into the namespace. */
  readonly folder: string;
  readonly #mountPoint: string;
  readonly #holder: ChildProcess;

  private constructor(mountPoint: string, holder: ChildProcess) {
    this.#mountPoint = mountPoint;
    this.#holder = holder;
    this.folder = join(`/proc/${holder.pid}/root`, mountPoint);
  }

  static async mount(bytes: number): Promise<SmallDisk> {
    const mountPoint = mkdtempSync(join(tmpdir(), 'airlock-disk-'));
    const script = 'mount -t tmpfs -o "size=$2" tmpfs "$1" && echo mounted && exec cat';
    const holder = spawn(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', mountPoint, String(bytes)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => Promise.reject(new Error('tmpfs cannot be mounted in a user namespace here'))),
    ]);
    return new SmallDisk(mountPoint, holder);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Fills it with a file until this many bytes are free. */
  async fill(leavingBytes: number): Promise<void> {
    const file = await open(join(this.folder, 'filler'), 'a');
    const block = Buffer.alloc(1_000_000);
    while (this.freeBytes > leavingBytes + block.length) await file.write(block);
    await file.close();
  }

  /** Fills it to the last page. */
  async fillWhole(): Promise<void> {
    await this.fill(0);
    const file = await open(join(this.folder, 'filler'), 'a');
    const page = Buffer.alloc(4_096);
    const isFull = (error: unknown) => isCode(error, 'ENOSPC');
    while (!(await file.write(page).then(() => false, isFull)));
    await file.close();
  }

  empty(): void {
    rmSync(join(this.folder, 'filler'));
  }

  async unmount(): Promise<void> {
    const exited = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await exited;
    rmdirSync(this.#mountPoint);
  }
}

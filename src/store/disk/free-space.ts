/** Monitors the free space of the disk under a folder; reports when it drops below the reserve and when it recovers. */
import { statfs } from 'node:fs';
import { statfs as statfsNow } from 'node:fs/promises';
import type { DiskReserve } from '../../ports/index.js';
import { DISK } from './limits.js';

export interface DiskState {
  /** Available to an unprivileged user. */
  readonly freeBytes: number;
  readonly diskBytes: number;
}

/** Default of the setting. */
export const TENTH: DiskReserve = { text: '10%', bytesOf: (diskBytes) => diskBytes / 10 };

export interface FreeSpaceOptions {
  readonly folder: string;
  readonly reserve?: DiskReserve | undefined;
  /** Called when `isLow` changes. */
  readonly tell?: (isLow: boolean) => void;
}

export class FreeSpace {
  #isLow = false;
  #timer: NodeJS.Timeout | undefined;
  #nextCheckMs: number = DISK.checkMs;
  #stopped = false;
  readonly #options: FreeSpaceOptions;
  readonly #reserve: DiskReserve;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
    this.#reserve = options.reserve ?? TENTH;
  }

  /** True from when free space drops below the reserve until it reaches the mark above it. */
  get isLow(): boolean {
    return this.#isLow;
  }

  get reserveText(): string {
    return this.#reserve.text;
  }

  /** Checks now, then at an interval. Resolves after the first check. */
  start(): Promise<void> {
    return new Promise((resolve) => this.#ask(resolve));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #ask(done: () => void): void {
    statfs(this.#options.folder, (error, { bavail = 0, blocks = 0, bsize = 0 } = {} as never) => {
      // On failure the last state stays; a write that fails will report the fault.
      if (error === null && blocks > 0) this.take({ freeBytes: bavail * bsize, diskBytes: blocks * bsize });
      done();
      if (!this.#stopped) this.#timer = setTimeout(() => this.#ask(() => undefined), this.#nextCheckMs).unref();
    });
  }

  take({ freeBytes, diskBytes }: DiskState): void {
    const wasLow = this.#isLow;
    const reserve = this.#reserve.bytesOf(diskBytes);
    this.#nextCheckMs = nextCheckMs(freeBytes - reserve);
    this.#isLow = freeBytes < (wasLow ? resumeMark(reserve, diskBytes) : reserve);
    if (this.#isLow !== wasLow) this.#options.tell?.(this.#isLow);
  }
}

/** Far above the reserve the checks are rarer: each wakes an idle machine. */
function nextCheckMs(aboveReserve: number): number {
  const ms = (aboveReserve / DISK.fastestBytesPerSecond) * 1_000;
  return Math.max(DISK.checkMs, Math.min(DISK.rareCheckMs, ms));
}

/** With a large reserve a fifth more may not exist, so the mark is at most halfway to an empty disk. */
function resumeMark(reserve: number, diskBytes: number): number {
  return Math.min(reserve * DISK.resumeFactor, (reserve + diskBytes) / 2);
}

/** The current state. A file system that does not report its size counts as having space. */
export async function diskState(folder: string): Promise<DiskState> {
  const { bavail, blocks, bsize } = await statfsNow(folder);
  if (blocks === 0) return { freeBytes: Number.POSITIVE_INFINITY, diskBytes: 0 };
  return { freeBytes: bavail * bsize, diskBytes: blocks * bsize };
}

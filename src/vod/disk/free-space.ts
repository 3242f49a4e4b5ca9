/** Watches how much of the disk below a folder is free, and tells when it falls below the reserve and when there is room again. */
import { statfs } from 'node:fs';
import { statfs as statfsNow } from 'node:fs/promises';
import type { DiskReserve } from '../../ports/index.js';
import { DISK } from './limits.js';

export interface DiskState {
  /** What an ordinary user may still write. */
  readonly freeBytes: number;
  readonly diskBytes: number;
}

/** The default of the setting. */
export const TENTH: DiskReserve = { text: '10%', bytesOf: (diskBytes) => diskBytes / 10 };

export interface FreeSpaceOptions {
  readonly folder: string;
  readonly reserve?: DiskReserve | undefined;
  readonly onLow?: () => void;
  readonly onEnough?: () => void;
}

export class FreeSpace {
  #isLow = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #options: FreeSpaceOptions;
  readonly #reserve: DiskReserve;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
    this.#reserve = options.reserve ?? TENTH;
  }

  /** Less than the reserve was free, and the mark above it has not been reached since. */
  get isLow(): boolean {
    return this.#isLow;
  }

  get reserveText(): string {
    return this.#reserve.text;
  }

  /** Asks now, then at an interval. Resolves after the first answer. */
  start(): Promise<void> {
    this.#timer = setInterval(() => this.#ask(() => undefined), DISK.checkMs);
    this.#timer.unref();
    return new Promise((resolve) => this.#ask(resolve));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(done: () => void): void {
    statfs(this.#options.folder, (error, { bavail = 0, blocks = 0, bsize = 0 } = {} as never) => {
      // Without an answer the last one stands; the next write that fails says what is wrong.
      if (error === null && blocks > 0) this.take({ freeBytes: bavail * bsize, diskBytes: blocks * bsize });
      done();
    });
  }

  take({ freeBytes, diskBytes }: DiskState): void {
    const wasLow = this.#isLow;
    const reserve = this.#reserve.bytesOf(diskBytes);
    this.#isLow = freeBytes < (wasLow ? resumeMark(reserve, diskBytes) : reserve);
    if (this.#isLow && !wasLow) this.#options.onLow?.();
    if (!this.#isLow && wasLow) this.#options.onEnough?.();
  }
}

/** Above a large reserve there may be no fifth of it left, so the mark is at most half-way to an empty disk. */
function resumeMark(reserve: number, diskBytes: number): number {
  return Math.min(reserve * DISK.resumeFactor, (reserve + diskBytes) / 2);
}

/** As it is now. A file system that does not tell its size has room. */
export async function diskState(folder: string): Promise<DiskState> {
  const { bavail, blocks, bsize } = await statfsNow(folder);
  if (blocks === 0) return { freeBytes: Number.POSITIVE_INFINITY, diskBytes: 0 };
  return { freeBytes: bavail * bsize, diskBytes: blocks * bsize };
}

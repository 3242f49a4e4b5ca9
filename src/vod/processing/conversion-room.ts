/** Delays conversions until the disk has space, and aborts them before they use space that the store and journal need. */
import type { DiskReserve } from '../../ports/index.js';
import { type DiskState, diskState, TENTH } from '../../store/disk/free-space.js';
import { DISK } from '../../store/disk/limits.js';

class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'NO_ROOM';
}

export interface ConversionRoomOptions {
  /** Where conversions write. */
  readonly folder: string;
  readonly reserve?: DiskReserve | undefined;
  /** State of the disk, for tests. */
  readonly disk?: () => Promise<DiskState>;
}

export class ConversionRoom {
  readonly #reserve: DiskReserve;
  readonly #disk: () => Promise<DiskState>;
  /** Expected output of running conversions. */
  #expectedBytes = 0;

  constructor({ folder, reserve = TENTH, disk = () => diskState(folder) }: ConversionRoomOptions) {
    this.#reserve = reserve;
    this.#disk = disk;
  }

  /** @throws NoRoomError when `bytes` more do not fit */
  async require(bytes: number): Promise<void> {
    const needed = bytes + this.#expectedBytes;
    if (await this.#isBelow(DISK.conversionPart, needed)) throw this.#error();
  }

  /** Runs `work`, which writes about `bytes`. Its signal aborts when the disk gets too full. @throws NoRoomError */
  async run<Result>(
    bytes: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // Reserved before the disk is checked, so that concurrent conversions see each other.
    this.#expectedBytes += bytes;
    try {
      await this.require(0);
      return await this.#watched(signal, work);
    } finally {
      this.#expectedBytes -= bytes;
    }
  }

  async #watched<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const full = new AbortController();
    const watch = setInterval(() => {
      this.#isBelow(DISK.abortPart, 0).then(
        (isFull) => isFull && full.abort(),
        // If the disk does not answer, the conversion fails by itself.
        () => undefined,
      );
    }, DISK.checkMs);
    try {
      return await work(AbortSignal.any([signal, full.signal]));
    } catch (error) {
      if (full.signal.aborted && !signal.aborted) throw this.#error();
      throw error;
    } finally {
      clearInterval(watch);
    }
  }

  async #isBelow(part: number, neededBytes: number): Promise<boolean> {
    const { freeBytes, diskBytes } = await this.#disk();
    return freeBytes - neededBytes < this.#reserve.bytesOf(diskBytes) * part;
  }

  #error(): NoRoomError {
    return new NoRoomError(`not enough disk space on the server above its reserve of ${this.#reserve.text}`);
  }
}

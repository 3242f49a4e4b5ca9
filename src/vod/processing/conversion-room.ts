/** Conversions wait for room on the disk, and are aborted before they take what the store and the journal need. */
import type { DiskReserve } from '../../ports/index.js';
import { type DiskState, diskState, TENTH } from '../disk/free-space.js';
import { DISK } from '../disk/limits.js';

export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'NO_ROOM';
}

export interface ConversionRoomOptions {
  /** Where conversions write. */
  readonly folder: string;
  readonly reserve?: DiskReserve | undefined;
  /** For tests: what the disk says. */
  readonly disk?: () => Promise<DiskState>;
}

export class ConversionRoom {
  readonly #reserve: DiskReserve;
  readonly #disk: () => Promise<DiskState>;
  /** What running conversions are expected to write. */
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

  /** Does `work`, which writes about `bytes`. Its signal aborts when the disk becomes too full. @throws NoRoomError */
  async run<Result>(
    bytes: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // Counted before the disk is asked, so that two that begin at once are held against each other.
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
        // A disk that does not answer fails the conversion by itself.
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
    return new NoRoomError(`the disk of the server has no room beside its reserve of ${this.#reserve.text}`);
  }
}

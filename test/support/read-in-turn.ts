/** Reads ahead as the thread of `ReadAhead` does, but in turn with the judge: two pieces before each that is wanted. */
import { readSync } from 'node:fs';
import type { Ahead } from '../../src/cli/validate/ahead/ahead.js';
import { newSharedPieces, PieceReader, PieceWriter } from '../../src/cli/validate/ahead/piece-ring.js';
import { PieceSource } from '../../src/cli/validate/ahead/piece-source.js';

/** Far fewer than the ring holds, so that its writer never waits. */
const MOST_AHEAD = 100;

export class ReadInTurn implements Ahead {
  readonly #file: number;
  readonly #minSkipBytes: number;
  readonly #reader: PieceReader;
  readonly #writer: PieceWriter;
  #source: PieceSource | undefined;
  #ahead = 0;
  /** Pieces that were used, and those that the judge had to read by itself. */
  hits = 0;
  misses = 0;

  constructor(file: number, minSkipBytes: number) {
    const shared = newSharedPieces();
    this.#file = file;
    this.#minSkipBytes = minSkipBytes;
    this.#reader = new PieceReader(shared);
    this.#writer = new PieceWriter(shared);
  }

  get bytes(): Uint8Array {
    return this.#reader.bytes;
  }

  get from(): number {
    return this.#reader.from;
  }

  skippedTo(position: number): void {
    const read = (bytes: Uint8Array, at: number, size: number, from: number) =>
      readSync(this.#file, bytes, at, size, from);
    this.#source ??= new PieceSource(this.#writer, read, position, this.#minSkipBytes);
  }

  find(position: number, isHeld: boolean): number {
    for (let i = 0; i < 2 && this.#ahead < MOST_AHEAD; i++) if (this.#source?.step() === true) this.#ahead++;
    this.#writer.flush();
    const size = this.#reader.find(position, isHeld);
    if (size > 0) this.#ahead--;
    if (size > 0) this.hits++;
    else this.misses++;
    return size;
  }

  stop(): void {
    this.#writer.stop();
  }
}

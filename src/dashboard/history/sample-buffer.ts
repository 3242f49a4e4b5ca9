/** Samples of one stream as rows of a flat array of numbers: compact, since a thousand streams buffer a minute each. */
import type { Sample } from '../view/health-series.js';

const COLUMNS = 8;

export class SampleBuffer {
  /** NaN: unknown. */
  readonly #rows: number[] = [];

  get length(): number {
    return this.#rows.length / COLUMNS;
  }

  push(sample: Sample): void {
    this.#rows.push(
      sample.atMs,
      sample.videoKbps ?? Number.NaN,
      sample.audioKbps ?? Number.NaN,
      sample.frameRate ?? Number.NaN,
      sample.keyFrameIntervalMs ?? Number.NaN,
      sample.width ?? Number.NaN,
      sample.height ?? Number.NaN,
      sample.frameRateClass ?? Number.NaN,
    );
  }

  /** Drops the oldest samples until `count` are left. */
  keepNewest(count: number): void {
    this.#rows.splice(0, Math.max(0, this.length - count) * COLUMNS);
  }

  /** Oldest first. */
  all(): Sample[] {
    return Array.from({ length: this.length }, (_, row) => ({
      atMs: this.#rows[row * COLUMNS] ?? Number.NaN,
      videoKbps: this.#at(row, 1),
      audioKbps: this.#at(row, 2),
      frameRate: this.#at(row, 3),
      keyFrameIntervalMs: this.#at(row, 4),
      width: this.#at(row, 5),
      height: this.#at(row, 6),
      frameRateClass: this.#at(row, 7),
    }));
  }

  #at(row: number, column: number): number | undefined {
    const value = this.#rows[row * COLUMNS + column];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }
}

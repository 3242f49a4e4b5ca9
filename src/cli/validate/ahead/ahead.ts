/** What `readWanted` asks of a reader that is ahead of it. */

/** Fits the audio between two video frames and the header of the second. */
export const SMALLEST_READ_BYTES = 1024;

/** Parts of the file that were read before they are wanted. */
export interface Ahead {
  /** Holds the part of the last `find`, which begins at `from`. */
  readonly bytes: Uint8Array;
  readonly from: number;
  /** Size of the part at `position`; 0 if it is not at hand. `isHeld`: earlier parts are still referenced. */
  find(position: number, isHeld: boolean): number;
  /** A tag was skipped, and the next one follows at `position`. */
  skippedTo(position: number): void;
  stop(): void;
}

/** `file`: its descriptor. Gaps of less than `minSkipBytes` are read through. */
export type NewAhead = (file: number, minSkipBytes: number) => Ahead;

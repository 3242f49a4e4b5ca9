/**
 * How far apart the blocks for the loudness of a long file are: as far as they are sure of it. Their places are random within
 * their periods, since even ones would meet the same beat of a rhythm each time. The same file gives the same places.
 */

/** Frames of 21 ms from the period of one block to that of the next: 2.7 s, where the blocks differ much. */
export const SHORTEST_SPACING = 128;
/** A longer one does not save much more. */
const LONGEST_SPACING = 1024;
/** The mean of a number of blocks with the relative variance 1 is sure to 5 %, 0.2 LU, in one standard deviation. */
const NEEDED_BLOCKS = 400;
/** Four times the blocks halve the error that remains: half of them are enough for the rest. */
const FOR_TWICE_THE_SPACING = 4;

export class BlockSpacing {
  #blocks = 0;
  #sum = 0;
  #squares = 0;
  #random = 1;

  /** The mean power of a block. */
  add(power: number): void {
    this.#blocks++;
    this.#sum += power;
    this.#squares += power * power;
  }

  /** Spacing of the next block. */
  get frames(): number {
    // Squares of the mean in the mean of the squares, without the first: the relative variance.
    const variance = (this.#squares * this.#blocks) / (this.#sum * this.#sum) - 1;
    let needed = NEEDED_BLOCKS * variance;
    let frames = SHORTEST_SPACING;
    while (frames < LONGEST_SPACING && !(this.#blocks < needed)) {
      frames *= 2;
      needed *= FOR_TWICE_THE_SPACING;
    }
    return frames;
  }

  /** From 0 to `below` - 1. */
  random(below: number): number {
    this.#random = nextRandom(this.#random);
    return Math.floor((this.#random / 2 ** 32) * below);
  }
}

/** A linear congruential generator of 32 bits, of which the high ones are random. */
export function nextRandom(state: number): number {
  return (Math.imul(state, 1664525) + 1013904223) >>> 0;
}

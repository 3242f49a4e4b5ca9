/** Which frames of an AAC track are decoded, and for what. */

/** The rules on levels see it. */
export const USE_RULES = 1;
/** One of three of a block of a second, for the loudness. */
export const USE_METER = 1 << 1;
/** One of five of a block of 427 ms, at the start of a file. */
export const USE_DENSE = 1 << 2;
/** One of four of a block of 405 ms, after some minutes of a file. */
export const USE_BLOCK = 1 << 3;

/** One frame of this many is decoded: about three a second, a few percent of what it costs to receive a stream. */
const SAMPLED = 16;
/** In files, one in so many is read until this many frames have passed, a minute or two: few samples make a poor mean. */
const DENSE = 4;
const DENSE_FRAMES = 2_880;
/**
 * After 5 minutes of a file, a block of 0.4 s in 5.5 s is as exact as three samples a second, since many have passed. The
 * rules see one frame in 128, 2.7 s, which is short beside the 10 s that they wait.
 */
const SPARSE_AFTER = 14_400;
const SPARSE = 256;
const SPARSE_RULES = 128;
/** Frames between those of a block, and from its first to its last one. */
const BLOCK_STEP = 6;
const BLOCK_SPAN = 18;
/** At low rates a frame lasts twice as long. */
const LOW_RATE_HZ = 24_000;

export class FrameSampling {
  /** Of the next frame; 0: it is not decoded. The first frame always is. */
  uses = USE_RULES | USE_METER;
  /** Samples are more than a second apart. */
  isSparse = false;
  #isFile = false;
  /** Frames so far; in the sparse part, since the start of a period. */
  #frames = 0;

  sampleFile(): void {
    this.#isFile = true;
    this.uses |= USE_DENSE;
  }

  /** A frame has passed. */
  next(sampleRate: number): void {
    const isLow = sampleRate <= LOW_RATE_HZ;
    this.#frames++;
    if (this.isSparse) this.#nextSparse(isLow ? 2 : 1);
    else this.#nextEven(isLow ? SAMPLED / 2 : SAMPLED);
  }

  #nextEven(sampled: number): void {
    const frames = this.#frames;
    this.uses = frames % sampled === 0 ? USE_RULES | USE_METER : 0;
    if (!this.#isFile) {
      if (frames === sampled) this.#frames = 0;
    } else if (frames < DENSE_FRAMES) {
      if (frames % DENSE === 0) this.uses |= USE_DENSE;
    } else if (frames === SPARSE_AFTER) {
      this.isSparse = true;
      this.#frames = 0;
      this.uses = USE_RULES | USE_BLOCK;
    }
  }

  /** `length`: of a frame, in frames of 21 ms. */
  #nextSparse(length: number): void {
    if (this.#frames >= SPARSE / length) this.#frames = 0;
    const frames = this.#frames;
    this.uses = frames % (SPARSE_RULES / length) === 0 ? USE_RULES : 0;
    if (frames <= BLOCK_SPAN / length && frames % (BLOCK_STEP / length) === 0) this.uses |= USE_BLOCK;
  }
}

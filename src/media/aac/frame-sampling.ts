/** Which frames of an AAC track are decoded, and for what. */
import { BlockSpacing, SHORTEST_SPACING } from './block-spacing.js';

/** The rules on levels see it. */
export const USE_RULES = 1;
/** One of three of a block of a second, for the loudness. */
export const USE_METER = 1 << 1;
/** One of five or three of a block of 0.4 s, which overlaps the next one, at the start of a file. */
export const USE_DENSE = 1 << 2;
/** One of four of a block of 405 ms, after some minutes of a file. */
export const USE_BLOCK = 1 << 3;

/** One frame of this many is decoded: about three a second, a few percent of what it costs to receive a stream. */
const SAMPLED = 16;
/**
 * In files, one in so many is read until this many frames have passed, a minute or two: few samples make a poor mean. Then
 * one in twice as many, three of which still make a block of 0.4 s.
 */
const DENSE = 4;
const DENSE_FRAMES = 2_880;
/**
 * Of those blocks, the ones that begin so many frames apart count for the spacing of later ones: they do not overlap. Rhythms
 * seldom have a factor of 11.
 */
const APART = 88;
const DENSE_SPAN = 16;
/** After 5 minutes of a file, the rules see one frame in 128, 2.7 s, which is short beside the 10 s that they wait. */
const SPARSE_AFTER = 14_400;
const SPARSE_RULES = SHORTEST_SPACING;
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
  /** Frames of 21 ms that a dense sample stands for. */
  denseFrames = DENSE;
  /** The same for the current block. */
  blockFrames = SHORTEST_SPACING;
  /** Of a file. */
  #spacing: BlockSpacing | undefined;
  /** Frames so far; in the sparse part, since the start of a period. */
  #frames = 0;
  /** Of the block in the current period, the first frame. */
  #blockAt = 0;
  #blockSum = 0;
  #blockCount = 0;

  sampleFile(): void {
    this.#spacing = new BlockSpacing();
    this.uses |= USE_DENSE;
  }

  /** A frame has passed. */
  next(sampleRate: number): void {
    const length = sampleRate <= LOW_RATE_HZ ? 2 : 1;
    this.#frames++;
    if (this.isSparse) this.#nextSparse(length);
    else this.#nextEven(length);
  }

  /** The power of the last frame, which was decoded for `uses`: the spacing of the blocks depends on how much they differ. */
  measured(uses: number, power: number): void {
    if (this.#spacing === undefined || (uses & (USE_DENSE | USE_BLOCK)) === 0) return;
    const place = (this.#frames - 1) % APART;
    const isDense = (uses & USE_DENSE) !== 0;
    if (isDense && place > DENSE_SPAN) return;
    this.#blockSum += power;
    this.#blockCount++;
    if (isDense ? place < DENSE_SPAN : this.#blockCount <= BLOCK_SPAN / BLOCK_STEP) return;
    this.#spacing.add(this.#blockSum / this.#blockCount);
    this.#blockSum = 0;
    this.#blockCount = 0;
  }

  /** `length`: of a frame, in frames of 21 ms. */
  #nextEven(length: number): void {
    const frames = this.#frames;
    const sampled = SAMPLED / length;
    this.uses = frames % sampled === 0 ? USE_RULES | USE_METER : 0;
    if (this.#spacing === undefined) {
      if (frames === sampled) this.#frames = 0;
    } else if (frames < SPARSE_AFTER) {
      this.denseFrames = frames < DENSE_FRAMES ? DENSE * length : 2 * DENSE;
      if (frames % (this.denseFrames / length) === 0) this.uses |= USE_DENSE;
    } else {
      this.isSparse = true;
      this.#newPeriod(this.#spacing, length);
      this.#use(length);
    }
  }

  #nextSparse(length: number): void {
    if (this.#spacing !== undefined && this.#frames >= this.blockFrames / length)
      this.#newPeriod(this.#spacing, length);
    this.#use(length);
  }

  #newPeriod(spacing: BlockSpacing, length: number): void {
    this.#frames = 0;
    this.#blockSum = 0;
    this.#blockCount = 0;
    this.blockFrames = spacing.frames;
    this.#blockAt = spacing.random(this.blockFrames / length);
  }

  #use(length: number): void {
    this.uses = this.#frames % (SPARSE_RULES / length) === 0 ? USE_RULES : 0;
    // A block at the end of a period goes on at its start: all frames of a period are read alike often.
    const ahead = this.#frames - this.#blockAt;
    const place = ahead < 0 ? ahead + this.blockFrames / length : ahead;
    if (place <= BLOCK_SPAN / length && place % (BLOCK_STEP / length) === 0) this.uses |= USE_BLOCK;
  }
}

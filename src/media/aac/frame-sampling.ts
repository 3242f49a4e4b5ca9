/** Which frames of an AAC track are decoded, and for what. */
import { BlockSpacing, nextRandom, SHORTEST_SPACING } from './block-spacing.js';

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
 * One frame of each 16 in turn, at a random place: at even distances, a rhythm of 175.8 beats a minute at 48 kHz would have each
 * sample on the beat, or none. Three samples in a row are in different thirds of their 16. A file is read at the same places
 * at its start, so that rules on sound find the same.
 */
const THIRDS = 3;
/**
 * In files, one in so many is read until this many frames have passed, a minute or two: few samples make a poor mean. Then
 * one in twice as many, three of which still make a block of 0.4 s.
 */
const DENSE = 4;
const DENSE_FRAMES = 2_880;
/**
 * Those blocks that begin so many frames apart count for the spacing of later ones: they do not overlap. Rhythms
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
  /** Uses of the next frame; 0: it is not decoded. The first frame always is. */
  uses = USE_RULES | USE_METER;
  /** Samples are more than a second apart. */
  isSparse = false;
  /** Frames of 21 ms that a dense sample stands for. */
  denseFrames = DENSE;
  /** Spacing for the current block. */
  blockFrames = SHORTEST_SPACING;
  /** Spacing of a file. */
  #spacing: BlockSpacing | undefined;
  /** Frames so far; in the sparse part, since the start of a period. */
  #frames = 0;
  /** First frame of the block in the current period. */
  #blockAt = 0;
  #blockSum = 0;
  #blockCount = 0;
  /** Frames since the start of the current 16, and the one of them that is decoded. */
  #inPeriod = 0;
  #place = 0;
  #random = 1;
  /** Thirds that samples have been in, of the current three. */
  #thirds = 0;
  #third = 0;
  #thirdStep = 1;

  sampleFile(): void {
    this.#spacing = new BlockSpacing();
    this.uses |= USE_DENSE;
  }

  /** A frame has passed. */
  next(sampleRate: number): void {
    const length = sampleRate <= LOW_RATE_HZ ? 2 : 1;
    this.#frames++;
    if (this.#spacing === undefined) this.#nextPlace(length);
    else if (this.isSparse) this.#nextSparse(this.#spacing, length);
    else this.#nextDense(this.#spacing, length);
  }

  /** The power of the last frame, which was decoded for `uses`: the spacing of the blocks depends on how much they differ. */
  measured(uses: number, power: number): void {
    if (this.#spacing === undefined || (uses & (USE_DENSE | USE_BLOCK)) === 0) return;
    const place = (this.#frames - 1) % APART;
    const isDense = (uses & USE_DENSE) !== 0;
    const isPart = !isDense || place <= DENSE_SPAN;
    if (isPart) {
      this.#blockSum += power;
      this.#blockCount++;
    }
    if (isDense ? isPart || this.#blockCount === 0 : this.#blockCount <= BLOCK_SPAN / BLOCK_STEP) return;
    this.#spacing.add(this.#blockSum / this.#blockCount);
    this.#blockSum = 0;
    this.#blockCount = 0;
  }

  /** The first frame of a stream is the sample of its period. `length`: of a frame, in frames of 21 ms. */
  #nextPlace(length: number): void {
    const period = SAMPLED / length;
    this.#inPeriod++;
    if (this.#inPeriod >= period) {
      this.#inPeriod = 0;
      this.#place = this.#placeIn(period);
    }
    this.uses = this.#inPeriod === this.#place ? USE_RULES | USE_METER : 0;
  }

  #placeIn(period: number): number {
    this.#random = nextRandom(this.#random);
    let share = this.#random / 2 ** 32;
    if (this.#thirds % THIRDS === 0) {
      // A new order of the thirds; what is left of the number is random too.
      const order = Math.floor(share * 2 * THIRDS);
      share = share * 2 * THIRDS - order;
      this.#third = order >> 1;
      this.#thirdStep = 1 + (order & 1);
      this.#thirds = 0;
    } else this.#third = (this.#third + this.#thirdStep) % THIRDS;
    this.#thirds++;
    return Math.floor(((this.#third + share) * period) / THIRDS);
  }

  /** Dense samples are at even distances within 16 frames, one of them at the place of the other uses. */
  #nextDense(spacing: BlockSpacing, length: number): void {
    const frames = this.#frames;
    if (frames >= SPARSE_AFTER) {
      this.isSparse = true;
      this.#newPeriod(spacing, length);
      this.#use(length);
      return;
    }
    this.#nextPlace(length);
    this.denseFrames = frames < DENSE_FRAMES ? DENSE * length : 2 * DENSE;
    const step = this.denseFrames / length;
    if (this.#inPeriod % step === this.#place % step) this.uses |= USE_DENSE;
  }

  #nextSparse(spacing: BlockSpacing, length: number): void {
    if (this.#frames >= this.blockFrames / length) this.#newPeriod(spacing, length);
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

/** Loudness of the audio from the sampled frames of the first track, and repeated frames. Beyond the published document. */
import type { AudioLevels } from '../../media/aac/frame-levels.js';
import { FLOOR_LUFS, LoudnessMeter, lufsOf } from './loudness-meter.js';

export class LevelFacts {
  /** Delivery target; NaN if none is set. */
  readonly targetLufs: number;
  /** Loudness of the last sampled frame, in LUFS; `FLOOR_LUFS` at least. */
  lufs = FLOOR_LUFS;
  /** Loudness of each channel of the first pair, as if it were the only one. */
  leftLufs = FLOOR_LUFS;
  rightLufs = FLOOR_LUFS;
  /** Loudness of mean and half difference of the pair; NaN if not comparable. */
  midLufs = Number.NaN;
  sideLufs = Number.NaN;
  /** The last sampled frame has two channels. */
  isStereo = false;
  /** Frames up to the last one that are equal at their start and in size. */
  repeats = 0;
  readonly meter = new LoudnessMeter();

  constructor(targetLufs: number) {
    this.targetLufs = targetLufs;
  }

  /** New connection. */
  reset(): void {
    this.repeats = 0;
    this.meter.restart();
  }

  /** Every frame. */
  frame(isRepeat: boolean): void {
    this.repeats = isRepeat ? this.repeats + 1 : 1;
  }

  /** A frame that was read. `copies`: output channels that share the power of a single core channel. False: not for rules. */
  sample(levels: AudioLevels, channels: number, copies: number): boolean {
    const power = levels.power * copies;
    this.#meter(power, levels);
    if (!levels.isJudged) return false;
    this.lufs = lufsOf(power);
    this.isStereo = levels.hasPair && channels === 2;
    this.leftLufs = lufsOf(levels.left);
    this.rightLufs = lufsOf(levels.right);
    this.midLufs = lufsOf(levels.mid);
    this.sideLufs = lufsOf(levels.side);
    return true;
  }

  #meter(power: number, { isMetered, denseFrames, blockFrames }: AudioLevels): void {
    if (denseFrames > 0) this.meter.addDense(power, denseFrames);
    if (isMetered) this.meter.add(power, denseFrames > 0);
    if (blockFrames > 0) this.meter.addToBlock(power, blockFrames);
  }

  /** Mean of the last three seconds. */
  get shortTermLufs(): number {
    return lufsOf(this.meter.shortTermPower);
  }
}

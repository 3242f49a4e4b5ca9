/** Continuity of frame_num over the pictures of a stream (H.264 7.4.3): finds reference pictures that did not arrive. */
import type { SliceFields } from './slice-fields.js';

export class PictureChain {
  /** frame_num of the previous reference picture (PrevRefFrameNum); -1 while unknown. */
  #previous = -1;
  /** frame_num of the last picture if no other refers to it; -1 otherwise. */
  #disposable = -1;
  /** A picture has had the frame_num of the disposable one before it, as it must: some encoders go on counting. */
  #isRepeated = false;

  restart(): void {
    this.#previous = -1;
    this.#disposable = -1;
  }

  /**
   * Takes the first slice header of a picture. Returns the number of reference pictures missing before it, 0 normally.
   * An equal frame_num is a second field, or a picture that was sent twice, and no gap.
   */
  next(slice: SliceFields, isIdr: boolean, isReference: boolean): number {
    const { frameNum, sps } = slice;
    if (frameNum < 0 || sps === undefined) {
      this.restart();
      return 0;
    }
    const previous = isIdr ? 0 : this.#previous;
    const count = 1 << sps.log2MaxFrameNum;
    const step = previous < 0 ? 0 : (frameNum - previous + count) % count;
    const isCounted = !this.#isRepeated && this.#disposable >= 0 && (this.#disposable + 1) % count === frameNum;
    if (this.#disposable === frameNum && !isIdr) this.#isRepeated = true;
    this.#disposable = isReference ? -1 : frameNum;
    if (isReference) this.#previous = slice.resetsReferences ? 0 : frameNum;
    // A disposable picture follows the reference picture of the number before: what is missing is reported once.
    else if (step > 1) this.#previous = (frameNum - 1 + count) % count;
    return step > 1 && !isIdr && !isCounted && !sps.gapsInFrameNumAllowed ? step - 1 : 0;
  }
}

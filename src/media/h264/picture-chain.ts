/** Continuity of frame_num over the pictures of a stream (H.264 7.4.3): finds reference pictures that did not arrive. */
import type { SliceFields } from './slice-fields.js';

export class PictureChain {
  /** frame_num of the previous reference picture (PrevRefFrameNum); -1 while unknown. */
  #previous = -1;

  restart(): void {
    this.#previous = -1;
  }

  /**
   * Takes the first slice header of a picture. Returns the number of reference pictures missing before it, 0 normally.
   * An equal frame_num is a second field, or a picture that was sent twice, and no gap.
   */
  next(slice: SliceFields, isIdr: boolean, isReference: boolean): number {
    const { frameNum, sps } = slice;
    if (frameNum < 0 || sps === undefined) {
      this.#previous = -1;
      return 0;
    }
    const previous = isIdr ? 0 : this.#previous;
    const count = 1 << sps.log2MaxFrameNum;
    const step = previous < 0 ? 0 : (frameNum - previous + count) % count;
    if (isReference) this.#previous = slice.resetsReferences ? 0 : frameNum;
    return step > 1 && !isIdr && !sps.gapsInFrameNumAllowed ? step - 1 : 0;
  }
}

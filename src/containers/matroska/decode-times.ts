/** Decode times of the frames of a track whose container has presentation times only, as FFmpeg derives them. */
import { WireError } from '../../bytes/wire-error.js';
import { parseAvcc } from '../../media/h264/avcc.js';

/** FFmpeg decodes at most so many frames to find how far they are reordered. */
export const PROBED_FRAMES = 20;
const BASELINE = 66;

/** Frames that are decoded before a frame that is shown earlier: as the settings say, or else as the first frames show. */
export function reorderDepth(settings: Uint8Array | undefined, firstTimes: readonly number[]): number {
  const said = saidDepth(settings);
  if (said !== undefined) return said;
  return Math.max(0, ...firstTimes.map((time, at) => firstTimes.slice(0, at).filter((before) => before > time).length));
}

function saidDepth(settings: Uint8Array | undefined): number | undefined {
  if (settings === undefined) return undefined;
  try {
    const [sps] = parseAvcc(settings).sps;
    if (sps === undefined) return undefined;
    if (sps.profileIdc === BASELINE || sps.picOrderCntType === 2) return 0;
    return sps.vui?.bitstreamRestriction?.maxNumReorderFrames;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** A frame is decoded when the earliest of the frames that are not shown yet is shown. */
export class DecodeTimes {
  readonly #depth: number;
  readonly #first: { readonly frameTicks: number; readonly stepTicks: number } | undefined;
  /** The latest presentation times, ascending. */
  readonly #latest: number[] = [];
  #guess: number | undefined;

  /**
   * `first`: duration of a frame, and the same in whole ticks, by which the first frames are counted back from the first
   * presentation. Without it they have no decode times, and those of presentation are taken.
   */
  constructor(depth: number, first?: { readonly frameTicks: number; readonly stepTicks: number }) {
    this.#depth = Math.min(depth, PROBED_FRAMES);
    this.#first = first;
  }

  of(presentation: number): number {
    if (this.#depth === 0) return presentation;
    const latest = this.#latest;
    const isFull = latest.length > this.#depth;
    if (isFull) latest.shift();
    let at = latest.length;
    while (at > 0 && (latest[at - 1] as number) > presentation) at--;
    latest.splice(at, 0, presentation);
    if (latest.length > this.#depth) return latest[0] as number;
    if (this.#first === undefined) return presentation;
    const { frameTicks, stepTicks } = this.#first;
    this.#guess = this.#guess === undefined ? presentation - this.#depth * frameTicks : this.#guess + stepTicks;
    return this.#guess;
  }
}

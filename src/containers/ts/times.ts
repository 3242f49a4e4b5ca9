/** Times of a transport stream as FFmpeg straightens them: 33 bits wrap after 26.5 hours, and a source may jump. */

export const TICKS_PER_SECOND = 90_000;
const WRAP = 2 ** 33;
/** Times so long before the first one are taken for those behind the wrap. */
const BEFORE_TICKS = 60 * TICKS_PER_SECOND;
/** FFmpeg, `dts_delta_threshold`. */
const JUMP_TICKS = 10 * TICKS_PER_SECOND;
const BACK_TICKS = TICKS_PER_SECOND / 10;

/** Undoes the wrap of the clock, by the first time of the file. */
export class Unwrap {
  #reference: number | undefined;
  #isAdded = true;

  of(time: number): number {
    if (this.#reference === undefined) {
      this.#reference = time - BEFORE_TICKS;
      this.#isAdded = this.#reference < WRAP - WRAP / 8 || this.#reference < WRAP - BEFORE_TICKS;
    }
    if (this.#isAdded) return time < this.#reference ? time + WRAP : time;
    return time >= this.#reference ? time - WRAP : time;
  }
}

/** Joins what follows a jump to what precedes it. */
export class Joined {
  /** Added to all times. */
  offset = 0;
  #last: number | undefined;
  readonly #tracks = new Map<number, { decode: number; next: number }>();

  /** Before the next frame of a track, decoded at `time`. Sets `offset`. */
  take(track: number, time: number, duration: number): void {
    let decode = time + this.offset;
    const before = this.#tracks.get(track);
    const expected = before?.next ?? this.#last;
    if (expected !== undefined) {
      const jump = decode - expected;
      const isBack = before !== undefined && decode + BACK_TICKS < before.decode;
      if (Math.abs(jump) > JUMP_TICKS || isBack) {
        this.offset -= jump;
        decode -= jump;
      }
    }
    this.#last = decode;
    this.#tracks.set(track, { decode, next: decode + duration });
  }
}

/** `time` and a duration of samples, in whole ticks, without an error that grows. */
export function addSamples(time: number, samples: number, rate: number): number {
  const step = (samples * TICKS_PER_SECOND) / rate;
  if (Number.isInteger(step)) return time + step;
  const steps = Math.round(time / step);
  return Math.round((steps + 1) * step) + time - Math.round(steps * step);
}

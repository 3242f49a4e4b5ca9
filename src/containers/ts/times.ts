/** Times of a transport stream as FFmpeg straightens them: 33 bits wrap after 26.5 hours, and a source may jump. */

export const TICKS_PER_SECOND = 90_000;
const WRAP = 2 ** 33;
/** Times so long before the first one are taken for those behind the wrap. */
const BEFORE_TICKS = 60 * TICKS_PER_SECOND;
/** FFmpeg, `dts_delta_threshold`. */
const JUMP_US = 10_000_000;
const BACK_US = 100_000;

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

const US = 1_000_000;
const toUs = (ticks: number): number => Math.round((ticks * US) / TICKS_PER_SECOND);
const toTicks = (us: number): number => Math.round((us * TICKS_PER_SECOND) / US);

/** Joins the times behind a jump to those before it, in microseconds as FFmpeg does, since each rounding shows. */
export class Joined {
  /** Added to all times. */
  offset = 0;
  readonly #start: number;
  #offsetUs: number;
  #lastUs: number | undefined;
  readonly #tracks = new Map<number, { decodeUs: number; nextUs: number }>();

  /** `startS`: where the file starts, from which FFmpeg counts. */
  constructor(startS: number) {
    const startUs = Math.round(startS * US);
    this.#offsetUs = -startUs;
    this.#start = toTicks(startUs);
  }

  /** Before the next frame of a track, decoded at `time`. Sets `offset`. */
  take(track: number, time: number, durationUs: number): void {
    let ticks = time + toTicks(this.#offsetUs);
    const before = this.#tracks.get(track);
    const expectedUs = before?.nextUs ?? this.#lastUs;
    if (expectedUs !== undefined) {
      const jumpUs = toUs(ticks) - expectedUs;
      const isBack = before !== undefined && toUs(ticks) + BACK_US < before.decodeUs;
      if (Math.abs(jumpUs) > JUMP_US || isBack) {
        this.#offsetUs -= jumpUs;
        ticks -= toTicks(jumpUs);
      }
    }
    const decodeUs = toUs(ticks);
    this.#lastUs = decodeUs;
    this.#tracks.set(track, { decodeUs, nextUs: decodeUs + durationUs });
    this.offset = ticks + this.#start - time;
  }
}

/** `time` and a duration of samples, in whole ticks, without an error that grows. */
export function addSamples(time: number, samples: number, rate: number): number {
  const step = (samples * TICKS_PER_SECOND) / rate;
  if (Number.isInteger(step)) return time + step;
  const steps = Math.round(time / step);
  return Math.round((steps + 1) * step) + time - Math.round(steps * step);
}

/** Whether time codes advance as the timestamps do. Codes of the pictures and of data messages are compared with themselves. */
import type { Timecode } from '../../media/data/timecode.js';
import type { TimecodeMeasures } from '../measures/measures.js';
import { RecentTimes } from './stamp-facts.js';

/** After a longer time without a code, clocks and counts may differ by a frame. */
const COMPARABLE_MS = 10_000;
const TEN = 10;

export class TimecodeFacts {
  /** Codes that were read. */
  count = 0;
  /** Those that did not continue the one before. */
  jumps = 0;
  /** The last code; undefined before the first. */
  last: Readonly<Timecode> | undefined;
  /** How far the last code was off the timestamps. */
  offMs = 0;
  streamMs = 0;
  /** One frame of the stream, or as many as may be. */
  toleratedMs = 0;
  /** The last code jumped. */
  isOff = false;
  /** It was one jump too many. */
  isFaulty = false;
  #stampMs = 0;
  readonly #measures: TimecodeMeasures;
  readonly #recent: RecentTimes;

  constructor(measures: TimecodeMeasures) {
    this.#measures = measures;
    this.#recent = new RecentTimes(measures.jumps);
  }

  reset(): void {
    this.count = 0;
    this.jumps = 0;
    this.restart();
    this.#recent.restart();
  }

  /** A jump of the timestamps. */
  restart(): void {
    this.last = undefined;
    this.isFaulty = false;
  }

  /**
   * A code of the picture or message that is shown at `stampMs` (32 bits, as sent), at stream time `nowMs`. True if it could
   * be compared with the one before.
   */
  add(code: Timecode, stampMs: number, nowMs: number, frameRate: number): boolean {
    const before = this.last;
    const stepMs = (stampMs - this.#stampMs) | 0;
    this.count++;
    this.last = { ...code };
    this.#stampMs = stampMs;
    this.streamMs = nowMs;
    this.isFaulty = false;
    this.isOff = false;
    if (before === undefined || code.isRestart || !(frameRate > 0) || Math.abs(stepMs) > COMPARABLE_MS) return false;
    this.offMs = difference(before, code, stepMs, frameRate);
    this.toleratedMs = (this.#measures.frames * 1000) / frameRate;
    // Timestamps are whole milliseconds, codes whole frames.
    if (this.offMs <= this.toleratedMs + 500 / frameRate) return true;
    this.isOff = true;
    this.jumps++;
    this.isFaulty = this.#recent.add(nowMs, this.#measures.windowMs);
    return true;
  }
}

/** How far the codes are from `stepMs`, at the count of frames that fits best: of the stream, half of it, or as claimed. */
function difference(before: Timecode, code: Timecode, stepMs: number, frameRate: number): number {
  const periodMs = Math.min(before.periodMs, code.periodMs);
  let least = Number.POSITIVE_INFINITY;
  for (const rate of [frameRate, frameRate / 2, code.framesPerSecond]) {
    const counted = Math.round(rate);
    if (!(counted >= 1)) continue;
    const off = Math.abs(timeOf(code, counted) - timeOf(before, counted) - stepMs) % periodMs;
    least = Math.min(least, off, periodMs - off);
  }
  return least;
}

function timeOf({ hours, minutes, seconds, frames, fractionMs, isDropFrame }: Timecode, rate: number): number {
  const allMinutes = 60 * hours + minutes;
  const wholeMs = (60 * allMinutes + seconds) * 1000;
  if (!Number.isNaN(fractionMs)) return wholeMs + fractionMs;
  const dropped = isDropFrame
    ? 2 * Math.max(1, Math.round(rate / 30)) * (allMinutes - Math.floor(allMinutes / TEN))
    : 0;
  return wholeMs + ((frames - dropped) * 1000) / rate;
}

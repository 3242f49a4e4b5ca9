/** A time code: of a picture (H.264 D.2.3) or in a data message, as in SMPTE ST 12-1. */
export interface Timecode {
  hours: number;
  minutes: number;
  seconds: number;
  frames: number;
  /** Milliseconds in place of frames; NaN if it counts frames. */
  fractionMs: number;
  /** Frame numbers 0 and 1 are left out at each minute but the tens (twice as many at 60 fps). */
  isDropFrame: boolean;
  /** Frames that the encoder claims to count in a second; NaN if it does not. */
  framesPerSecond: number;
  /** The code says nothing of longer times: a day, or less where hours, minutes or seconds are left out (0 then). */
  periodMs: number;
  /** The encoder says that the code does not continue the one before. */
  isRestart: boolean;
}

export function newTimecode(): Timecode {
  return {
    hours: 0,
    minutes: 0,
    seconds: 0,
    frames: 0,
    fractionMs: Number.NaN,
    isDropFrame: false,
    framesPerSecond: Number.NaN,
    periodMs: DAY_MS,
    isRestart: false,
  };
}

export const DAY_MS = 86_400_000;
const TEXT = /^([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)(?:([:;.,])(\d{1,3}))?$/;

/** `hh:mm:ss:ff`, `hh:mm:ss;ff` (drop frame), `hh:mm:ss.mmm` or `hh:mm:ss`; undefined for anything else. */
export function timecodeOf(text: unknown): Timecode | undefined {
  if (typeof text !== 'string' || text.length > 16) return undefined;
  const found = TEXT.exec(text.trim());
  if (found === null) return undefined;
  const [, hours, minutes, seconds, separator = '.', last = '0'] = found;
  const countsFrames = separator === ':' || separator === ';';
  if (countsFrames && last.length > 2) return undefined;
  return {
    ...newTimecode(),
    hours: Number(hours),
    minutes: Number(minutes),
    seconds: Number(seconds),
    frames: countsFrames ? Number(last) : 0,
    fractionMs: countsFrames ? Number.NaN : Number(`0.${last}`) * 1000,
    isDropFrame: separator === ';',
  };
}

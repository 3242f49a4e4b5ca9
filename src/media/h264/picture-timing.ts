/** The time code of a picture: the first clock timestamp of a picture timing SEI message (H.264 D.1.3, D.2.3). */
import { BitCursor } from '../../bytes/bit-cursor.js';
import { DAY_MS, newTimecode, type Timecode } from '../data/timecode.js';
import type { Vui } from './vui.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than both delays, pic_struct and a clock timestamp. */
const MAX_BYTES = 24;
/** Table D-1: clock timestamps by pic_struct. */
const CLOCKS = [1, 1, 1, 2, 2, 3, 3, 2, 3];
/** counting_type: no value of n_frames is dropped. */
const COUNTS_ALL = 1;
/** counting_type: 0 and 1 are dropped at each minute but the tens. */
const DROPS_TWO = 4;

const BITS = new BitCursor(MAX_BYTES);
const FOUND = newTimecode();

/**
 * Reads the payload in `bytes[from, to)`. The result is valid until the next call; undefined without a complete clock
 * timestamp, which most encoders do not send.
 */
export function readPictureTiming(bytes: Uint8Array, from: number, to: number, vui: Vui): Timecode | undefined {
  if (!vui.picStructPresent) return undefined;
  const bits = BITS;
  bits.open(bytes, from, to);
  if (vui.hrdBits !== undefined) bits.skip(vui.hrdBits.cpbRemovalDelay + vui.hrdBits.dpbOutputDelay);
  const clocks = CLOCKS[bits.u(4)] ?? 0;
  for (let i = 0; i < clocks && !bits.isOver; i++) if (bits.flag()) return readClock(vui);
  return undefined;
}

function readClock(vui: Vui): Timecode | undefined {
  const bits = BITS;
  bits.skip(2 + 1); // ct_type, nuit_field_based_flag
  const countingType = bits.u(5);
  const isFull = bits.flag();
  FOUND.isRestart = bits.flag();
  bits.skip(1); // cnt_dropped_flag
  FOUND.frames = bits.u(8);
  // Values that are left out are those of the picture before, which may not have been read; some encoders mean 0.
  const hasSeconds = isFull || bits.flag();
  FOUND.seconds = hasSeconds ? bits.u(6) : 0;
  const hasMinutes = isFull || (hasSeconds && bits.flag());
  FOUND.minutes = hasMinutes ? bits.u(6) : 0;
  const hasHours = isFull || (hasMinutes && bits.flag());
  FOUND.hours = hasHours ? bits.u(5) : 0;
  FOUND.periodMs = hasHours ? DAY_MS : hasMinutes ? HOUR_MS : hasSeconds ? MINUTE_MS : SECOND_MS;
  if (bits.isOver || FOUND.seconds > 59 || FOUND.minutes > 59 || FOUND.hours > 23) return undefined;
  if (countingType > COUNTS_ALL && countingType !== DROPS_TWO) return undefined;
  FOUND.isDropFrame = countingType === DROPS_TWO;
  FOUND.framesPerSecond = vui.timing?.framesPerSecond ?? Number.NaN;
  FOUND.fractionMs = Number.NaN;
  return FOUND;
}

/** Writes SEI messages with closed captions and time codes, and SCTE 35 sections. */
import { BitWriter, concat } from './bit-writer.js';
import { lengthPrefixed, sei } from './h264-writer.js';

export type Triple = readonly [head: number, one: number, two: number];

/** 'HI' in CEA-608 with odd parity, in the first field. */
export const TEXT_608: Triple = [0xfc, 0xc8, 0x49];
export const PADDING_608: Triple = [0xfc, 0x80, 0x80];
export const TEXT_708: Triple = [0xff, 0x02, 0x21];
export const PADDING_708: Triple = [0xfa, 0x00, 0x00];

/** An SEI NAL unit with cc_data (ATSC A/53 part 4). */
export function captionSei(triples: readonly Triple[]): Uint8Array {
  const start = [0xb5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03];
  return sei(4, Uint8Array.from([...start, 0x40 | triples.length, 0xff, ...triples.flat(), 0xff]));
}

export interface ClockFields {
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly frames?: number;
  readonly countingType?: number;
  readonly isRestart?: boolean;
  /** Writes only the fields that are not 0, without full_timestamp_flag. */
  readonly isPartial?: boolean;
  /** Lengths of the delays that come first; 0 without HRD. */
  readonly delayBits?: number;
}

/** The payload of a picture timing message with one clock timestamp (H.264 D.1.3). */
export function pictureTiming(clock: ClockFields): Uint8Array {
  const { hours = 0, minutes = 0, seconds = 0, frames = 0 } = clock;
  const w = new BitWriter();
  for (let left = 2 * (clock.delayBits ?? 0); left > 0; left -= 8) w.u(Math.min(8, left), 0);
  w.u(4, 0)
    .bit(1)
    .u(2, 0)
    .bit(0)
    .u(5, clock.countingType ?? 0)
    .bit(clock.isPartial !== true)
    .bit(clock.isRestart === true)
    .bit(0)
    .u(8, frames);
  if (clock.isPartial === true) {
    w.bit(seconds > 0);
    if (seconds > 0) {
      w.u(6, seconds).bit(minutes > 0);
      if (minutes > 0) {
        w.u(6, minutes).bit(hours > 0);
        if (hours > 0) w.u(5, hours);
      }
    }
  } else {
    w.u(6, seconds).u(6, minutes).u(5, hours);
  }
  return w.trailing().bytes();
}

/** The time code of a frame counted from midnight; `isDropFrame`: at 29.97 fps. */
export function clockOfFrame(frame: number, rate: number, isDropFrame = false): ClockFields {
  let number = frame;
  if (isDropFrame) {
    const tens = Math.floor(frame / 17_982);
    const rest = frame % 17_982;
    number += 18 * tens + (rest > 1 ? 2 * Math.floor((rest - 2) / 1_798) : 0);
  }
  const allSeconds = Math.floor(number / rate);
  return {
    hours: Math.floor(allSeconds / 3600) % 24,
    minutes: Math.floor(allSeconds / 60) % 60,
    seconds: allSeconds % 60,
    frames: number % rate,
    countingType: isDropFrame ? 4 : 0,
  };
}

export interface TimecodeJumps {
  readonly fps: number;
  /** Times at which the code jumps by `frames`, forward and back in turn. */
  readonly jumps_ms: readonly number[];
  readonly frames: number;
}

/** The picture timing message of the picture at `atMs`. */
export function timecodeNal(atMs: number, { fps, jumps_ms, frames }: TimecodeJumps): Uint8Array {
  const isOff = jumps_ms.filter((ms) => atMs >= ms).length % 2 === 1;
  const frame = Math.round((atMs * fps) / 1000) + (isOff ? frames : 0);
  return sei(1, pictureTiming(clockOfFrame(frame, fps)));
}

/** A NAL unit before the others of an AVC tag. */
export function withNal(payload: Uint8Array, nal: Uint8Array): Uint8Array {
  return concat(payload.subarray(0, 5), lengthPrefixed([nal]), payload.subarray(5));
}

/** A splice_insert of SCTE 35 with its CRC. */
export function spliceInsert({ isOut = true, isCancelled = false } = {}): Uint8Array {
  const command = [0, 0, 0, 7, isCancelled ? 0xff : 0x7f, ...(isCancelled ? [] : [isOut ? 0xff : 0x7f, 0, 1, 0, 0])];
  return spliceSection(5, command);
}

export function spliceSection(commandType: number, command: readonly number[]): Uint8Array {
  const body = [0, 0, 0, 0, 0, 0, 0, 0xff, 0xf0 | (command.length >> 8), command.length & 255, commandType, ...command];
  const length = body.length + 2 + 4;
  const section = [0xfc, 0x30 | (length >> 8), length & 255, ...body, 0, 0];
  const crc = crc32(section);
  return Uint8Array.from([...section, crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255]);
}

/** Bit by bit, so that it shares nothing with the table of the reader. */
function crc32(bytes: readonly number[]): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const isSet = ((crc >>> 31) ^ (byte >> bit)) & 1;
      crc = ((crc << 1) ^ (isSet ? 0x04c11db7 : 0)) >>> 0;
    }
  }
  return crc;
}

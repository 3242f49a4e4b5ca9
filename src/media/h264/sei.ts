/**
 * Supplemental enhancement information (H.264 7.3.2.3, Annex D): recovery points, x264's name, OBS's measurements, closed
 * captions, time codes.
 */

import type { Timecode } from '../data/timecode.js';
import { PerformanceMessages } from './bpm.js';
import { CaptionData } from './caption-data.js';
import { readPictureTiming } from './picture-timing.js';
import type { Vui } from './vui.js';

const PICTURE_TIMING = 1;
const USER_DATA_REGISTERED = 4;
const RECOVERY_POINT = 6;
const USER_DATA_UNREGISTERED = 5;
const UUID_BYTES = 16;
/** The uuid_iso_iec_11578 that x264 writes before its settings text. */
const X264_UUID = [0xdc, 0x45, 0xe9, 0xbd, 0xe6, 0xd9, 0x48, 0xb7, 0x96, 0x2c, 0xd8, 0x20, 0xd9, 0x23, 0xee, 0xef];
const TEXT = new TextDecoder('latin1');
/** Name and version come first; the kilobytes of options after them are not needed. */
const NAME_BYTES = 64;

/** SEI of one frame. Reused: call `reset` before each frame. */
export class SeiReader {
  /** A recovery point with recovery_frame_cnt 0: decoding can start at this picture, as at a key frame. */
  exactRecoveryPoint = false;
  /** The start of x264's text: 'x264 - core 164 r3095 …'. */
  x264Text: string | undefined;
  readonly performance = new PerformanceMessages();
  readonly captions = new CaptionData();
  timecode: Timecode | undefined;

  reset(): void {
    this.exactRecoveryPoint = false;
    this.x264Text = undefined;
    this.performance.reset();
    this.captions.reset();
    this.timecode = undefined;
  }

  /** Reads the messages in `rbsp[0, size)`. Stops without a fault at a truncated message. `vui`: of the active SPS. */
  read(rbsp: Uint8Array, size: number, wantText: boolean, vui?: Vui): void {
    let at = 0;
    // The shortest message has two bytes; a single byte is the stop bit.
    while (at + 2 <= size) {
      let type = 0;
      while (at < size && rbsp[at] === 0xff) {
        type += 255;
        at++;
      }
      type += at < size ? (rbsp[at++] as number) : 0;
      let payloadSize = 0;
      while (at < size && rbsp[at] === 0xff) {
        payloadSize += 255;
        at++;
      }
      payloadSize += at < size ? (rbsp[at++] as number) : 0;
      if (type === RECOVERY_POINT && payloadSize > 0 && at < size) {
        // recovery_frame_cnt is ue(v): a first bit of 1 codes 0.
        if (((rbsp[at] as number) & 0x80) !== 0) this.exactRecoveryPoint = true;
      } else if (type === USER_DATA_UNREGISTERED && payloadSize > UUID_BYTES) {
        this.performance.read(rbsp, at, Math.min(size, at + payloadSize));
        if (wantText) this.x264Text ??= x264Text(rbsp, at, Math.min(size, at + payloadSize));
      } else if (type === USER_DATA_REGISTERED) {
        this.captions.read(rbsp, at, Math.min(size, at + payloadSize));
      } else if (type === PICTURE_TIMING && vui !== undefined) {
        this.timecode ??= readPictureTiming(rbsp, at, Math.min(size, at + payloadSize), vui);
      }
      at += payloadSize;
    }
  }
}

function x264Text(rbsp: Uint8Array, from: number, to: number): string | undefined {
  for (let i = 0; i < UUID_BYTES; i++) {
    if (rbsp[from + i] !== X264_UUID[i]) return undefined;
  }
  const start = from + UUID_BYTES;
  const text = rbsp.subarray(start, Math.min(to, start + NAME_BYTES));
  const end = text.indexOf(0);
  return TEXT.decode(end < 0 ? text : text.subarray(0, end));
}

/** ics_info: windows and bands of a channel of AAC (ISO/IEC 14496-3, 4.4.2.6). */
import { BitCursor } from '../../bytes/bit-cursor.js';
import { type Bands, bandsOf, type RateBands } from './bands.js';

const EIGHT_SHORT = 2;
/** A frame of 8 channels has at most 6,144 bits each (4.5.3.1); larger ones are not read. */
export const MAX_FRAME_BYTES = 6144;

/** The frame that is being read. Shared by all readers: parsing is synchronous. */
export const FRAME = new BitCursor(MAX_FRAME_BYTES);

export class WindowInfo {
  isShort = false;
  /** Bands in use, per group. */
  used = 0;
  groups = 1;
  readonly groupLengths = new Uint8Array(8);
  rate: RateBands = bandsOf(48_000);

  get bands(): Bands {
    return this.isShort ? this.rate.short : this.rate.long;
  }

  /** False: not a valid header of low complexity. */
  read(sampleRate: number): boolean {
    this.rate = bandsOf(sampleRate);
    if (FRAME.flag()) return false;
    this.isShort = FRAME.u(2) === EIGHT_SHORT;
    FRAME.skip(1); // window_shape
    this.groups = 1;
    this.groupLengths[0] = 1;
    if (this.isShort) {
      this.used = FRAME.u(4);
      for (let i = 0; i < 7; i++) {
        if (FRAME.flag()) (this.groupLengths[this.groups - 1] as number)++;
        else this.groupLengths[this.groups++] = 1;
      }
    } else {
      this.used = FRAME.u(6);
      if (FRAME.flag()) return false; // predictor_data_present
    }
    return this.used <= this.bands.count;
  }
}

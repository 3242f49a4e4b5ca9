/** The decoder configuration record that a track under codec ID 7 received last. A repeated one is not parsed again. */
import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { wireCodeOf } from '../../bytes/wire-error.js';
import { type AvcDecoderConfiguration, parseAvcc } from '../h264/avcc.js';
import { isHevcConfiguration } from './hevc-shape.js';

/** Shared by all tracks: reading is synchronous. */
const CURSOR = new SliceCursor();

export class AvcRecord {
  config: AvcDecoderConfiguration | undefined;
  /** Code of what is wrong with it. */
  fault: string | undefined;
  /** It is one of HEVC. */
  isHevc = false;
  #bytes: Uint8Array | undefined;

  /** Reads `[from, to)`. False: it is the same as before. */
  read(payload: SliceList, from: number, to: number): boolean {
    if (this.#isRepeated(payload, from, to - from)) return false;
    const bytes = payload.copy(from, to);
    this.#bytes = bytes;
    this.config = undefined;
    this.fault = undefined;
    this.isHevc = false;
    try {
      this.config = parseAvcc(bytes);
      this.fault = this.config.faults[0];
    } catch (error) {
      this.fault = wireCodeOf(error);
    }
    if (!this.config?.sps.length && isHevcConfiguration(bytes)) {
      this.isHevc = true;
      this.config = undefined;
      this.fault = undefined;
    }
    return true;
  }

  #isRepeated(payload: SliceList, from: number, size: number): boolean {
    if (this.#bytes?.length !== size) return false;
    CURSOR.open(payload);
    CURSOR.seek(from);
    const same = CURSOR.matches(this.#bytes);
    CURSOR.close();
    return same;
  }
}

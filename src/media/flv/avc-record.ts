/** The decoder configuration record that a track under codec ID 7 received last. A repeated one is not parsed again. */
import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { wireCodeOf } from '../../bytes/wire-error.js';
import { type AvcDecoderConfiguration, parseAvcc } from '../h264/avcc.js';

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

const VPS = 32;
const SUFFIX_SEI = 40;
const FIRST_ARRAY = 23;

/**
 * Distinguishes an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15) from an AVC one by its structure. Some encoders and
 * CDNs send HEVC under FLV's codec ID 7; the record then names HEVC instead of corrupt AVC.
 * True if the reserved bits are those of HEVC and the first array holds HEVC parameter sets.
 */
function isHevcConfiguration(record: Uint8Array): boolean {
  if (record.length < FIRST_ARRAY || (record[0] as number) > 1) return false;
  const byteAt = (at: number): number => record[at] ?? 0;
  const reservedBitsFit =
    byteAt(13) >> 4 === 0xf && // before min_spatial_segmentation_idc
    byteAt(15) >> 2 === 0x3f && // before parallelismType
    byteAt(16) >> 2 === 0x3f && // before chroma_format_idc
    byteAt(17) >> 3 === 0x1f && // before bit_depth_luma_minus8
    byteAt(18) >> 3 === 0x1f; // before bit_depth_chroma_minus8
  const arrays = byteAt(22);
  const firstType = byteAt(FIRST_ARRAY) & 0x3f;
  const arraysFit = arrays === 0 || (firstType >= VPS && firstType <= SUFFIX_SEI);
  return arraysFit && (reservedBitsFit || (arrays > 0 && startsWithParameterSet(record, firstType)));
}

/** Some encoders set the reserved bits to 0; then the first NAL unit's header must match its array's type. */
function startsWithParameterSet(record: Uint8Array, type: number): boolean {
  const count = ((record[FIRST_ARRAY + 1] ?? 0) << 8) | (record[FIRST_ARRAY + 2] ?? 0);
  const header = record[FIRST_ARRAY + 5];
  return count > 0 && header !== undefined && header >> 1 === type;
}

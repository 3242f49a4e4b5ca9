/** The start of an H.264 slice header (7.3.3): enough to detect the start of a picture, B slices and fields. */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import type { Sps } from './sps.js';

export type SliceType = 'P' | 'B' | 'I' | 'SP' | 'SI';

export interface SliceHeader {
  /** 0 in the first slice of a picture. */
  readonly firstMbInSlice: number;
  readonly sliceType: SliceType;
  readonly ppsId: number;
  /** field_pic_flag; `undefined` if no SPS is known for the slice's PPS. */
  readonly fieldPic: boolean | undefined;
}

const SLICE_TYPES: readonly SliceType[] = ['P', 'B', 'I', 'SP', 'SI'];
const CLAUSE = 'H.264 7.3.3';

/**
 * Reads the start of a slice header from its RBSP: without the NAL header byte, emulation prevention removed.
 * Throws WireError: SLICE_TYPE, SLICE_PPS_ID, or the reader's code if the bits end.
 */
export function readSliceHeader(rbsp: Uint8Array, spsOfPps: (ppsId: number) => Sps | undefined): SliceHeader {
  const bits = new BitReader(rbsp, CLAUSE);
  const firstMbInSlice = bits.ue();
  const type = bits.ue();
  const sliceType = SLICE_TYPES[type % 5];
  if (type > 9 || sliceType === undefined) throw new WireError('SLICE_TYPE', `slice_type is ${type}`, CLAUSE);
  const ppsId = bits.ue();
  if (ppsId > 255) throw new WireError('SLICE_PPS_ID', `pic_parameter_set_id is ${ppsId}`, CLAUSE);
  const sps = spsOfPps(ppsId);
  if (!sps) return { firstMbInSlice, sliceType, ppsId, fieldPic: undefined };
  if (sps.separateColorPlane) bits.u(2); // colour_plane_id
  bits.u(sps.log2MaxFrameNum); // frame_num
  return { firstMbInSlice, sliceType, ppsId, fieldPic: !sps.frameMbsOnly && bits.flag() };
}

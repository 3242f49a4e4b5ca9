/** H.264 picture parameter set (7.3.2.2), up to the fields that slice headers need. */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { unescapeRbsp } from './nal-units.js';

export interface Pps {
  readonly ppsId: number;
  /** The sequence parameter set of pictures with this PPS. */
  readonly spsId: number;
  /** CABAC when true, else CAVLC. */
  readonly entropyCodingMode: boolean;
  /** Values that slice headers depend on (7.3.3); `undefined` with slice groups, or if the bits end before. */
  readonly slices: SliceDefaults | undefined;
  /** transform_8x8_mode_flag; `undefined` with scaling lists, and where `slices` is. */
  readonly transform8x8: boolean | undefined;
}

export interface SliceDefaults {
  /** bottom_field_pic_order_in_frame_present_flag */
  readonly bottomFieldOrder: boolean;
  /** num_ref_idx_l0_default_active_minus1 + 1, and of list 1. */
  readonly refsL0: number;
  readonly refsL1: number;
  readonly weightedPred: boolean;
  readonly weightedBipredIdc: number;
  /** 26 + pic_init_qp_minus26. */
  readonly initialQp: number;
  /** deblocking_filter_control_present_flag */
  readonly deblockingControl: boolean;
  readonly redundantPictures: boolean;
}

const CLAUSE = 'H.264 7.3.2.2';
/** Upper bound for the fields that are read, emulation prevention included. */
const BYTES_NEEDED = 32;

/** Parses a PPS NAL unit, header byte (type 8) included. Throws WireError: PPS_NAL_TYPE, PPS_ID, or the reader's code if the bits end. */
export function parsePps(nalUnit: Uint8Array): Pps {
  const header = nalUnit[0] ?? 0;
  if ((header & 0x1f) !== 8)
    throw new WireError('PPS_NAL_TYPE', `NAL unit type is ${header & 0x1f}, expected 8 (PPS)`, CLAUSE);
  const bits = new BitReader(unescapeRbsp(nalUnit.subarray(0, BYTES_NEEDED), 1), CLAUSE);
  const ppsId = bits.ue();
  const spsId = bits.ue();
  if (ppsId > 255 || spsId > 31) {
    throw new WireError('PPS_ID', `pic_parameter_set_id ${ppsId}, seq_parameter_set_id ${spsId}`, 'H.264 7.4.2.2');
  }
  const entropyCodingMode = bits.flag();
  const slices = readSliceDefaults(bits);
  return { ppsId, spsId, entropyCodingMode, slices, transform8x8: slices && readTransform8x8(bits) };
}

function readSliceDefaults(bits: BitReader): SliceDefaults | undefined {
  try {
    const bottomFieldOrder = bits.flag();
    if (bits.ue() > 0) return undefined; // num_slice_groups_minus1
    const refsL0 = 1 + bits.ue();
    const refsL1 = 1 + bits.ue();
    const weightedPred = bits.flag();
    const weightedBipredIdc = bits.u(2);
    const initialQp = 26 + bits.se();
    bits.se(); // pic_init_qs_minus26
    bits.se(); // chroma_qp_index_offset
    const deblockingControl = bits.flag();
    bits.skip(1); // constrained_intra_pred_flag
    const redundantPictures = bits.flag();
    return {
      ...{ bottomFieldOrder, refsL0, refsL1, weightedPred, weightedBipredIdc, initialQp },
      ...{ deblockingControl, redundantPictures },
    };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function readTransform8x8(bits: BitReader): boolean | undefined {
  if (!bits.moreRbspData()) return false;
  const transform8x8 = bits.flag();
  return bits.flag() ? undefined : transform8x8; // pic_scaling_matrix_present_flag
}

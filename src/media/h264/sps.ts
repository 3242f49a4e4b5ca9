/**
 * H.264 sequence parameter set including the VUI (7.3.2.1.1, Annex E).
 * Refuses (WireError) values outside the standard's range that make the picture size or the following bits unreadable.
 * Invalid VUI values, which are common, are reported as given, and a truncated VUI keeps the fields before its end
 * (`vui.fault`).
 */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { declaredLevelTimes10, levelLimits, levelName, maxDpbFrames } from './levels.js';
import { unescapeRbsp } from './nal-units.js';
import { readVui, type Vui } from './vui.js';

export interface Cropping {
  /** In luma samples of the frame, not in crop units of the bit stream. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Sps {
  readonly profileIdc: number;
  /** The byte after profile_idc: constraint_set0_flag is 0x80, constraint_set5_flag 0x04. */
  readonly constraintFlags: number;
  /** Level as coded. Level 1b is coded as 9 or as 11: see `levelTimes10`. */
  readonly levelIdc: number;
  /** Ten times the level, level 1b as 9. */
  readonly levelTimes10: number;
  /** '4.1', '1b'. */
  readonly level: string;
  /** 'High', 'Constrained Baseline' …, from profile_idc and constraint flags. */
  readonly profile: string;
  readonly spsId: number;
  /** 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormatIdc: number;
  readonly separateColorPlane: boolean;
  readonly bitDepthLuma: number;
  readonly bitDepthChroma: number;
  readonly scalingMatrixPresent: boolean;
  readonly log2MaxFrameNum: number;
  /** 2: output order equals decode order, so there are no reordered B pictures. */
  readonly picOrderCntType: number;
  /** Size of pic_order_cnt_lsb; 0 unless the type is 0. */
  readonly log2MaxPicOrderCntLsb: number;
  /** Flag of type 1; otherwise true. */
  readonly deltaPicOrderAlwaysZero: boolean;
  readonly maxNumRefFrames: number;
  /** MaxDpbFrames of the level at this size (A.3.1); NaN for an unknown level, or a frame too large for it. */
  readonly maxDpbFrames: number;
  readonly gapsInFrameNumAllowed: boolean;
  readonly picWidthInMbs: number;
  readonly frameHeightInMbs: number;
  readonly frameMbsOnly: boolean;
  /** mb_adaptive_frame_field_flag: frames may mix field and frame macroblocks. */
  readonly mbaff: boolean;
  readonly direct8x8Inference: boolean;
  readonly cropping: Cropping;
  readonly codedWidth: number;
  readonly codedHeight: number;
  /** Display size: coded size minus cropping, in samples (sample aspect not applied). */
  readonly width: number;
  readonly height: number;
  readonly vui: Vui | undefined;
}

/** Profiles that carry chroma format, bit depths and scaling lists (7.3.2.1.1). */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
/** Far above level 6.2 (16,880 samples per side), far below any overflow. */
const MAX_SIDE_IN_MBS = 4096;
const CLAUSE = 'H.264 7.3.2.1.1';

function bounded(value: number, max: number, code: string, what: string): number {
  if (value > max) throw new WireError(code, `${what} is ${value}, at most ${max} is allowed`, CLAUSE);
  return value;
}

/**
 * Parses an SPS NAL unit, including the header byte (type 7) and emulation prevention bytes.
 * Throws WireError: SPS_NAL_TYPE, SPS_ID, SPS_CHROMA_FORMAT, SPS_BIT_DEPTH, SPS_SCALING_LIST, SPS_FRAME_NUM, SPS_PIC_ORDER, SPS_SIZE, SPS_CROPPING, or the reader's code if the bits end.
 */
export function parseSps(nalUnit: Uint8Array): Sps {
  const header = nalUnit[0] ?? 0;
  if ((header & 0x1f) !== 7)
    throw new WireError('SPS_NAL_TYPE', `NAL unit type is ${header & 0x1f}, expected 7 (SPS)`, CLAUSE);
  const bits = new BitReader(unescapeRbsp(nalUnit, 1), CLAUSE);
  const profileIdc = bits.u(8);
  const constraintFlags = bits.u(8);
  const levelIdc = bits.u(8);
  const spsId = bounded(bits.ue(), 31, 'SPS_ID', 'seq_parameter_set_id');

  const format = HIGH_PROFILES.has(profileIdc) ? readSampleFormat(bits) : FORMAT_420_8_BIT;
  const log2MaxFrameNum = 4 + bounded(bits.ue(), 12, 'SPS_FRAME_NUM', 'log2_max_frame_num_minus4');
  const picOrder = readPicOrderCnt(bits);
  const maxNumRefFrames = bits.ue();
  const gapsInFrameNumAllowed = bits.flag();
  const picWidthInMbs = 1 + bounded(bits.ue(), MAX_SIDE_IN_MBS - 1, 'SPS_SIZE', 'pic_width_in_mbs_minus1');
  const mapUnits = 1 + bounded(bits.ue(), MAX_SIDE_IN_MBS - 1, 'SPS_SIZE', 'pic_height_in_map_units_minus1');
  const frameMbsOnly = bits.flag();
  const mbaff = frameMbsOnly ? false : bits.flag();
  const direct8x8Inference = bits.flag();

  const frameHeightInMbs = frameMbsOnly ? mapUnits : 2 * mapUnits;
  const codedWidth = 16 * picWidthInMbs;
  const codedHeight = 16 * frameHeightInMbs;
  const cropping = bits.flag() ? readCropping(bits, format.chromaFormatIdc, frameMbsOnly) : NO_CROPPING;
  const width = codedWidth - cropping.left - cropping.right;
  const height = codedHeight - cropping.top - cropping.bottom;
  if (width <= 0 || height <= 0) {
    throw new WireError('SPS_CROPPING', `cropping leaves ${width}x${height} of ${codedWidth}x${codedHeight}`, CLAUSE);
  }
  const vui = bits.flag() ? readVui(bits) : undefined;

  const levelTimes10 = declaredLevelTimes10(profileIdc, constraintFlags, levelIdc);
  return {
    profileIdc,
    constraintFlags,
    levelIdc,
    levelTimes10,
    level: levelName(levelTimes10),
    profile: profileName(profileIdc, constraintFlags),
    spsId,
    ...format,
    log2MaxFrameNum,
    ...picOrder,
    maxNumRefFrames,
    maxDpbFrames: dpbFrames(levelTimes10, picWidthInMbs, frameHeightInMbs),
    gapsInFrameNumAllowed,
    picWidthInMbs,
    frameHeightInMbs,
    frameMbsOnly,
    mbaff,
    direct8x8Inference,
    cropping,
    codedWidth,
    codedHeight,
    width,
    height,
    vui,
  };
}

function dpbFrames(levelTimes10: number, widthInMbs: number, heightInMbs: number): number {
  const limits = levelLimits(levelTimes10);
  if (limits === undefined || widthInMbs * heightInMbs > limits.maxFs) return Number.NaN;
  return maxDpbFrames(limits, widthInMbs, heightInMbs);
}

const NO_CROPPING: Cropping = { left: 0, right: 0, top: 0, bottom: 0 };

type SampleFormat = Pick<
  Sps,
  'chromaFormatIdc' | 'separateColorPlane' | 'bitDepthLuma' | 'bitDepthChroma' | 'scalingMatrixPresent'
>;

/** Inferred values for profiles without these fields (7.4.2.1.1). */
const FORMAT_420_8_BIT: SampleFormat = {
  chromaFormatIdc: 1,
  separateColorPlane: false,
  bitDepthLuma: 8,
  bitDepthChroma: 8,
  scalingMatrixPresent: false,
};

function readSampleFormat(bits: BitReader): SampleFormat {
  const chromaFormatIdc = bounded(bits.ue(), 3, 'SPS_CHROMA_FORMAT', 'chroma_format_idc');
  const separateColorPlane = chromaFormatIdc === 3 && bits.flag();
  const bitDepthLuma = 8 + bounded(bits.ue(), 6, 'SPS_BIT_DEPTH', 'bit_depth_luma_minus8');
  const bitDepthChroma = 8 + bounded(bits.ue(), 6, 'SPS_BIT_DEPTH', 'bit_depth_chroma_minus8');
  bits.flag(); // qpprime_y_zero_transform_bypass_flag
  const scalingMatrixPresent = bits.flag();
  if (scalingMatrixPresent) {
    const lists = chromaFormatIdc === 3 ? 12 : 8;
    for (let i = 0; i < lists; i++) {
      if (bits.flag()) skipScalingList(bits, i < 6 ? 16 : 64);
    }
  }
  return { chromaFormatIdc, separateColorPlane, bitDepthLuma, bitDepthChroma, scalingMatrixPresent };
}

/** 7.3.2.1.1.1: once the next scale is 0, the list repeats its last value and no further bits follow for it. */
function skipScalingList(bits: BitReader, size: number): void {
  let lastScale = 8;
  for (let j = 0; j < size; j++) {
    const delta = bits.se();
    if (delta < -128 || delta > 127) {
      throw new WireError('SPS_SCALING_LIST', `delta_scale is ${delta}, outside -128 to 127`, 'H.264 7.4.2.1.1.1');
    }
    const nextScale = (lastScale + delta + 256) % 256;
    if (nextScale === 0) return;
    lastScale = nextScale;
  }
}

type PicOrder = Pick<Sps, 'picOrderCntType' | 'log2MaxPicOrderCntLsb' | 'deltaPicOrderAlwaysZero'>;

function readPicOrderCnt(bits: BitReader): PicOrder {
  const type = bounded(bits.ue(), 2, 'SPS_PIC_ORDER', 'pic_order_cnt_type');
  let log2MaxPicOrderCntLsb = 0;
  let deltaPicOrderAlwaysZero = true;
  if (type === 0) {
    log2MaxPicOrderCntLsb = 4 + bounded(bits.ue(), 12, 'SPS_PIC_ORDER', 'log2_max_pic_order_cnt_lsb_minus4');
  } else if (type === 1) {
    deltaPicOrderAlwaysZero = bits.flag();
    bits.se(); // offset_for_non_ref_pic
    bits.se(); // offset_for_top_to_bottom_field
    const count = bounded(bits.ue(), 255, 'SPS_PIC_ORDER', 'num_ref_frames_in_pic_order_cnt_cycle');
    for (let i = 0; i < count; i++) bits.se(); // offset_for_ref_frame
  }
  return { picOrderCntType: type, log2MaxPicOrderCntLsb, deltaPicOrderAlwaysZero };
}

/** Crop units depend on chroma subsampling and on field coding (7.4.2.1.1, equations 7-19 to 7-22). */
function readCropping(bits: BitReader, chromaFormatIdc: number, frameMbsOnly: boolean): Cropping {
  const unitX = chromaFormatIdc === 1 || chromaFormatIdc === 2 ? 2 : 1;
  const unitY = (chromaFormatIdc === 1 ? 2 : 1) * (frameMbsOnly ? 1 : 2);
  return {
    left: unitX * bits.ue(),
    right: unitX * bits.ue(),
    top: unitY * bits.ue(),
    bottom: unitY * bits.ue(),
  };
}

const SET1 = 0x40;
const SET3 = 0x10;
const SET4 = 0x08;
const SET5 = 0x04;

/** The profile's name in the standard (A.2), from profile_idc and the constraint flags that restrict it. */
export function profileName(profileIdc: number, constraintFlags: number): string {
  const has = (flags: number): boolean => (constraintFlags & flags) === flags;
  switch (profileIdc) {
    case 66:
      return has(SET1) ? 'Constrained Baseline' : 'Baseline';
    case 77:
      return 'Main';
    case 88:
      return 'Extended';
    case 100:
      if (has(SET4 | SET5)) return 'Constrained High';
      return has(SET4) ? 'Progressive High' : 'High';
    case 110:
      return has(SET3) ? 'High 10 Intra' : 'High 10';
    case 122:
      return has(SET3) ? 'High 4:2:2 Intra' : 'High 4:2:2';
    case 244:
      return has(SET3) ? 'High 4:4:4 Intra' : 'High 4:4:4 Predictive';
    case 44:
      return 'CAVLC 4:4:4 Intra';
    case 83:
      return 'Scalable Baseline';
    case 86:
      return 'Scalable High';
    case 118:
      return 'Multiview High';
    case 128:
      return 'Stereo High';
    case 134:
      return 'MFC High';
    case 135:
      return 'MFC Depth High';
    case 138:
      return 'Multiview Depth High';
    case 139:
      return 'Enhanced Multiview Depth High';
    default:
      return `profile_idc ${profileIdc}`;
  }
}

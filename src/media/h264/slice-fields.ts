/**
 * Slice header (H.264 7.3.3) up to slice_qp_delta, for every picture of a stream. One object is reused and nothing is
 * allocated. Fields after the first unreadable one keep their initial values: encoders are not refused for a slice header.
 */
import { BitCursor } from '../../bytes/bit-cursor.js';
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import type { Pps, SliceDefaults } from './pps.js';
import type { Sps } from './sps.js';

export const SLICE_P = 0;
export const SLICE_B = 1;
export const SLICE_I = 2;
const SLICE_SP = 3;
const SLICE_SI = 4;

/** Bytes of an RBSP that are read at most; longer reordering and weighting tables leave `qp` unknown. */
export const SLICE_RBSP_BYTES = 56;

const NAL_IDR = 5;
/** 7.4.3.1, 7.4.3.3: no list has more commands than a frame has fields in the buffer, twice. */
const MAX_COMMANDS = 66;

const BITS = new BitCursor(SLICE_RBSP_BYTES);

export class SliceFields {
  /** First macroblock; -1 if the header is unreadable. */
  firstMb = -1;
  /** slice_type modulo 5. */
  type = SLICE_P;
  ppsId = 0;
  /** The sets that the slice refers to; undefined if they were not received. */
  pps: Pps | undefined;
  sps: Sps | undefined;
  /** -1 if unknown. */
  frameNum = -1;
  fieldPic = false;
  idrPicId = -1;
  /** pic_order_cnt_lsb; -1 if not coded. */
  pocLsb = -1;
  /** memory_management_control_operation 5: the picture counts as frame_num 0 from now on. */
  resetsReferences = false;
  /** The first reference of a P slice is weighted in luma: its brightness changes. */
  isWeighted = false;
  /** SliceQP_Y; NaN if unknown. */
  qp = Number.NaN;
  /** Size of the header in bits, as far as it was read. */
  headerBits = 0;
  /** Offset of the slice data in bits, of a slice other than SP and SI. */
  dataAt = 0;

  /** The last header went on after the bytes at hand. */
  get isCut(): boolean {
    return BITS.isOver;
  }

  /** Reads `rbsp[0, size)`, emulation prevention removed, of the NAL unit with the header byte `nalHeader`. */
  read(
    rbsp: Uint8Array,
    size: number,
    nalHeader: number,
    ppsById: readonly (Pps | undefined)[],
    spsById: readonly (Sps | undefined)[],
  ): void {
    this.#restart();
    const bits = BITS;
    bits.open(rbsp, 0, size);
    const firstMb = bits.ue();
    const type = bits.ue();
    const ppsId = bits.ue();
    if (bits.isOver || type > 9 || ppsId > 255) return;
    this.firstMb = firstMb;
    this.type = type % 5;
    this.ppsId = ppsId;
    const pps = ppsById[ppsId];
    const sps = pps === undefined ? undefined : spsById[pps.spsId];
    this.pps = pps;
    this.sps = sps;
    if (pps === undefined || sps === undefined) return;
    if (sps.separateColorPlane) bits.u(2); // colour_plane_id
    const frameNum = bits.u(sps.log2MaxFrameNum);
    if (!sps.frameMbsOnly) {
      this.fieldPic = bits.flag();
      if (this.fieldPic) bits.flag(); // bottom_field_flag
    }
    const isIdr = (nalHeader & 0x1f) === NAL_IDR;
    if (isIdr) this.idrPicId = bits.ue();
    if (bits.isOver) return;
    this.frameNum = frameNum;
    if (pps.slices !== undefined) this.#readRest(sps, pps, pps.slices, isIdr, (nalHeader & 0x60) !== 0);
  }

  #restart(): void {
    this.firstMb = -1;
    this.type = SLICE_P;
    this.pps = undefined;
    this.sps = undefined;
    this.frameNum = -1;
    this.fieldPic = false;
    this.idrPicId = -1;
    this.pocLsb = -1;
    this.resetsReferences = false;
    this.isWeighted = false;
    this.qp = Number.NaN;
    this.headerBits = 0;
    this.dataAt = 0;
  }

  #readRest(sps: Sps, pps: Pps, defaults: SliceDefaults, isIdr: boolean, isReference: boolean): void {
    const bits = BITS;
    const hasBottom = defaults.bottomFieldOrder && !this.fieldPic;
    if (sps.picOrderCntType === 0) {
      const lsb = bits.u(sps.log2MaxPicOrderCntLsb);
      if (!bits.isOver) this.pocLsb = lsb;
      if (hasBottom) bits.ue(); // delta_pic_order_cnt_bottom
    } else if (!sps.deltaPicOrderAlwaysZero) {
      bits.ue(); // delta_pic_order_cnt[0]
      if (hasBottom) bits.ue();
    }
    if (defaults.redundantPictures) bits.ue(); // redundant_pic_cnt
    const isB = this.type === SLICE_B;
    const isIntra = this.type === SLICE_I || this.type === SLICE_SI;
    if (isB) bits.flag(); // direct_spatial_mv_pred_flag
    let { refsL0, refsL1 } = defaults;
    if (!isIntra && bits.flag()) {
      refsL0 = 1 + bits.ue();
      if (isB) refsL1 = 1 + bits.ue();
    }
    if (!isIntra) skipReordering();
    if (isB) skipReordering();
    const isWeighted = isB ? defaults.weightedBipredIdc === 1 : !isIntra && defaults.weightedPred;
    if (isWeighted) this.isWeighted = skipWeights(sps, refsL0, isB ? refsL1 : 0) && !isB;
    if (isReference && this.#readMarking(isIdr) && !bits.isOver) this.resetsReferences = true;
    if (pps.entropyCodingMode && !isIntra) bits.ue(); // cabac_init_idc
    const qp = defaults.initialQp + bits.se();
    this.headerBits = bits.position;
    if (!bits.isOver && this.type !== SLICE_SP) this.qp = qp;
    if (defaults.deblockingControl && bits.ue() !== 1) skipCodes(2);
    this.dataAt = bits.position;
  }

  /** dec_ref_pic_marking, 7.3.3.3. True for operation 5. */
  #readMarking(isIdr: boolean): boolean {
    const bits = BITS;
    if (isIdr) {
      bits.skip(2);
      return false;
    }
    if (!bits.flag()) return false;
    let resets = false;
    for (let i = 0; i < MAX_COMMANDS; i++) {
      const operation = bits.ue();
      if (operation === 0 || bits.isOver) return resets;
      if (operation === 5) resets = true;
      else bits.ue();
      if (operation === 3) bits.ue();
    }
    return resets;
  }
}

/** ref_pic_list_modification of one list, 7.3.3.1. */
function skipReordering(): void {
  if (!BITS.flag()) return;
  for (let i = 0; i < MAX_COMMANDS; i++) {
    if (BITS.ue() === 3 || BITS.isOver) return;
    BITS.ue();
  }
}

/** pred_weight_table, 7.3.3.2. Whether the first reference has a luma weight. */
function skipWeights(sps: Sps, refsL0: number, refsL1: number): boolean {
  const hasChroma = sps.chromaFormatIdc !== 0 && !sps.separateColorPlane;
  BITS.ue();
  if (hasChroma) BITS.ue();
  let isFirstWeighted = false;
  for (let i = 0; i < refsL0 + refsL1 && !BITS.isOver; i++) {
    if (BITS.flag()) {
      if (i === 0) isFirstWeighted = true;
      skipCodes(2);
    }
    if (hasChroma && BITS.flag()) skipCodes(4);
  }
  return isFirstWeighted;
}

function skipCodes(count: number): void {
  for (let i = 0; i < count; i++) BITS.ue();
}

type SliceType = 'P' | 'B' | 'I' | 'SP' | 'SI';

/** The start of a slice header: enough to detect the start of a picture, B slices and fields. */
interface SliceHeader {
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

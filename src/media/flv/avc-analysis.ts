/** Analysis of the pictures of one H.264 track beyond the published document: NAL unit headers, slice headers, parameter sets. */
import type { AvcDecoderConfiguration } from '../h264/avcc.js';
import { cornerLuma } from '../h264/corner.js';
import {
  FLAW_B_IN_BASELINE,
  FLAW_NAL_UNIT,
  FLAW_REFERENCE_LOST,
  FLAW_SET_ABSENT,
  FLAW_SET_REPLACED,
} from '../h264/flaws.js';
import type { Pps } from '../h264/pps.js';
import { SLICE_B, SLICE_I, SLICE_RBSP_BYTES, SliceFields } from '../h264/slice-fields.js';
import type { Sps } from '../h264/sps.js';
import type { VideoPacket } from '../packet.js';

const BASELINE = 66;
const NAL_IDR = 5;
/** Table 7-1: 17, 18, 22 and 23 are reserved. 24 to 31 are for applications; 0 is too, but in practice it is damage. */
const INVALID_TYPES = 1 | (1 << 17) | (1 << 18) | (1 << 22) | (1 << 23);

/** Bytes of an RBSP, enough for slice headers without reordering and weighting tables. */
const USUAL_BYTES = 16;

/** Shared by all tracks: parsing is synchronous. */
const SLICE = new SliceFields();
const SCRATCH = new Uint8Array(SLICE_RBSP_BYTES);

export class AvcAnalysis {
  readonly #ppsById: readonly (Pps | undefined)[];
  readonly #spsById: readonly (Sps | undefined)[];
  readonly #chain = new PictureChain();
  /** An SPS was replaced since the last picture. */
  #isReplaced = false;
  /** A set was received that cannot be read: which one is not known, so no set counts as absent. */
  #hasUnreadableSets = false;
  #configSps: Sps | undefined;
  #flaws = 0;
  #slices = 0;
  #sliceType = -1;
  #qp = Number.NaN;
  #missing = 0;
  #sliceBytes = 0;
  #headerBits = 0;
  #isCabac = false;
  #isWeighted = false;
  #cornerLuma = Number.NaN;

  /** The track's tables, which it keeps up to date. */
  constructor(ppsById: readonly (Pps | undefined)[], spsById: readonly (Sps | undefined)[]) {
    this.#ppsById = ppsById;
    this.#spsById = spsById;
  }

  /** A configuration record other than the last one, before its sets are activated. */
  newConfig(config: AvcDecoderConfiguration | undefined, isFaulty: boolean): void {
    if (isFaulty) this.#hasUnreadableSets = true;
    const sps = config?.sps[0];
    if (sps === undefined) return;
    this.replaceSps(this.#configSps, sps);
    this.#configSps = sps;
  }

  unreadableSet(): void {
    this.#hasUnreadableSets = true;
  }

  /** `next` takes the place of `before` in the tables. */
  replaceSps(before: Sps | undefined, next: Sps): void {
    if (before === undefined || before === next) return;
    if (JSON.stringify(before) !== JSON.stringify(next)) this.#isReplaced = true;
  }

  /** A frame begins. */
  begin(): void {
    this.#flaws = 0;
    this.#slices = 0;
    this.#sliceType = -1;
    this.#qp = Number.NaN;
    this.#missing = 0;
    this.#sliceBytes = 0;
    this.#headerBits = 0;
    this.#isCabac = false;
    this.#isWeighted = false;
    this.#cornerLuma = Number.NaN;
  }

  /** A start code was found inside a NAL unit: what follows it, sets of this frame among it, is not seen. */
  startCode(): void {
    this.#flaws |= FLAW_NAL_UNIT;
    this.#hasUnreadableSets = true;
  }

  /** The header byte of the next NAL unit. False if the unit is invalid. */
  nalUnit(header: number): boolean {
    if (header < 0x80 && ((INVALID_TYPES >>> (header & 0x1f)) & 1) === 0) return true;
    this.#flaws |= FLAW_NAL_UNIT;
    return false;
  }

  /** A slice of the frame was read: of the others only number and size count. */
  get hasSlice(): boolean {
    return this.#slices > 0;
  }

  nextSlice(nalBytes: number): void {
    this.#sliceBytes += nalBytes - 1;
    this.#slices++;
  }

  /** The first slice NAL unit of the frame, of `nalBytes`, of which `rbsp[0, size)` is the start without emulation prevention. */
  slice(rbsp: Uint8Array, size: number, header: number, nalBytes: number): void {
    SLICE.read(rbsp, size, header, this.#ppsById, this.#spsById);
    this.#takeSlice(header, nalBytes);
    const { type, firstMb, pps, sps, dataAt, qp } = SLICE;
    if (type !== SLICE_I || firstMb !== 0 || pps === undefined || sps === undefined) return;
    this.#cornerLuma = cornerLuma(rbsp, size, dataAt, qp, pps, sps);
  }

  #takeSlice(header: number, nalBytes: number): void {
    this.nextSlice(nalBytes);
    if (SLICE.firstMb < 0) return;
    const isIdr = (header & 0x1f) === NAL_IDR;
    this.#sliceType = SLICE.type;
    this.#qp = SLICE.qp;
    this.#headerBits = SLICE.headerBits;
    this.#isCabac = SLICE.pps?.entropyCodingMode === true;
    this.#isWeighted = SLICE.isWeighted;
    if (SLICE.sps === undefined) {
      if (!this.#hasUnreadableSets) this.#flaws |= FLAW_SET_ABSENT;
    } else if (SLICE.sps.profileIdc === BASELINE && SLICE.type === SLICE_B) {
      this.#flaws |= FLAW_B_IN_BASELINE;
    }
    if (this.#isReplaced && !isIdr) this.#flaws |= FLAW_SET_REPLACED;
    this.#isReplaced = false;
    this.#missing = this.#chain.next(SLICE, isIdr, (header & 0x60) !== 0);
    if (this.#missing > 0) this.#flaws |= FLAW_REFERENCE_LOST;
  }

  /** The frame is complete. `isBroken`: the lengths of its NAL units do not fit. */
  end(out: VideoPacket, isBroken: boolean): void {
    if (isBroken) this.#flaws |= FLAW_NAL_UNIT;
    // Which pictures and sets a damaged frame holds is not known, so that it proves nothing else.
    if ((this.#flaws & FLAW_NAL_UNIT) !== 0) {
      this.#flaws = FLAW_NAL_UNIT;
      this.#missing = 0;
      this.#chain.restart();
    }
    out.flaws = this.#flaws;
    out.slices = this.#slices;
    out.sliceType = this.#sliceType;
    out.qp = this.#qp;
    out.sliceBits = Math.max(0, 8 * this.#sliceBytes - this.#slices * this.#headerBits);
    out.isCabac = this.#isCabac;
    out.isWeighted = this.#isWeighted;
    out.cornerLuma = this.#cornerLuma;
    out.missingReferences = this.#missing;
  }

  /** A frame of one slice NAL unit of `nalBytes` at `bytes[from, to)`, of which the start suffices. */
  plain(bytes: Uint8Array, from: number, to: number, nalBytes: number, out: VideoPacket): void {
    this.begin();
    const header = bytes[from] as number;
    SLICE.read(SCRATCH, unescapeStart(bytes, from + 1, to, USUAL_BYTES), header, this.#ppsById, this.#spsById);
    if (SLICE.isCut && to - from > USUAL_BYTES) {
      const size = unescapeStart(bytes, from + 1, to, SLICE_RBSP_BYTES);
      SLICE.read(SCRATCH, size, header, this.#ppsById, this.#spsById);
    }
    this.#takeSlice(header, nalBytes);
    this.end(out, false);
  }
}

/** Copies up to `max` bytes of the start of `bytes[from, to)` into `SCRATCH` without emulation prevention. Returns their number. */
function unescapeStart(bytes: Uint8Array, from: number, to: number, max: number): number {
  let size = 0;
  let zeros = 0;
  for (let i = from; i < to && size < max; i++) {
    const byte = bytes[i] as number;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    SCRATCH[size++] = byte;
  }
  return size;
}

/** Continuity of frame_num over the pictures of a stream (H.264 7.4.3): finds reference pictures that did not arrive. */
class PictureChain {
  /** frame_num of the previous reference picture (PrevRefFrameNum); -1 while unknown. */
  #previous = -1;
  /** frame_num of the last picture if no other refers to it; -1 otherwise. */
  #disposable = -1;
  /** A picture has had the frame_num of the disposable one before it, as it must: some encoders go on counting. */
  #isRepeated = false;

  restart(): void {
    this.#previous = -1;
    this.#disposable = -1;
  }

  /**
   * Takes the first slice header of a picture. Returns the number of reference pictures missing before it, 0 normally.
   * An equal frame_num is a second field, or a picture that was sent twice, and no gap.
   */
  next(slice: SliceFields, isIdr: boolean, isReference: boolean): number {
    const { frameNum, sps } = slice;
    if (frameNum < 0 || sps === undefined) {
      this.restart();
      return 0;
    }
    const previous = isIdr ? 0 : this.#previous;
    const count = 1 << sps.log2MaxFrameNum;
    const step = previous < 0 ? 0 : (frameNum - previous + count) % count;
    const isCounted = !this.#isRepeated && this.#disposable >= 0 && (this.#disposable + 1) % count === frameNum;
    if (this.#disposable === frameNum && !isIdr) this.#isRepeated = true;
    this.#disposable = isReference ? -1 : frameNum;
    if (isReference) this.#previous = slice.resetsReferences ? 0 : frameNum;
    // A disposable picture follows the reference picture of the number before: what is missing is reported once.
    else if (step > 1) this.#previous = (frameNum - 1 + count) % count;
    return step > 1 && !isIdr && !isCounted && !sps.gapsInFrameNumAllowed ? step - 1 : 0;
  }
}

/**
 * Video usability information of an SPS, with the HRD parameters (H.264 E.1.1, E.1.2).
 * All fields are claims of the encoder: reported as given, without validation at this level.
 */
import type { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';

export interface VuiTiming {
  readonly numUnitsInTick: number;
  readonly timeScale: number;
  readonly fixedFrameRate: boolean;
  /** time_scale / (2 x num_units_in_tick); `undefined` if either is zero, which the standard forbids but encoders send. */
  readonly framesPerSecond: number | undefined;
}

export interface HrdEntry {
  readonly bitrateBps: number;
  readonly cpbSizeBits: number;
  /** cbr_flag, the only in-band claim of a constant bitrate. */
  readonly cbr: boolean;
}

/** Lengths of the delays in picture timing messages, in bits. */
export interface HrdBits {
  readonly cpbRemovalDelay: number;
  readonly dpbOutputDelay: number;
}

export interface VideoSignal {
  readonly videoFormat: number;
  readonly fullRange: boolean;
  /** Values of Tables E-3 to E-5; 2 (unspecified) if there is no color description. */
  readonly colorPrimaries: number;
  readonly transferCharacteristics: number;
  readonly matrixCoefficients: number;
}

export interface BitstreamRestriction {
  readonly maxNumReorderFrames: number;
  readonly maxDecFrameBuffering: number;
}

export interface Vui {
  /** 0 unspecified, 255 extended; `undefined` if absent. */
  aspectRatioIdc: number | undefined;
  /** Sample aspect ratio; 1:1 if absent or unspecified, as given if extended (0 means unspecified there). */
  sarWidth: number;
  sarHeight: number;
  videoSignal: VideoSignal | undefined;
  timing: VuiTiming | undefined;
  nalHrd: readonly HrdEntry[] | undefined;
  vclHrd: readonly HrdEntry[] | undefined;
  /** Bits of the last HRD; both must agree. */
  hrdBits: HrdBits | undefined;
  lowDelayHrd: boolean;
  picStructPresent: boolean;
  bitstreamRestriction: BitstreamRestriction | undefined;
  /** Error code that ended parsing; fields before it in the bit stream are valid. */
  fault: string | undefined;
}

/** Table E-1: sample aspect ratios by aspect_ratio_idc. */
export const SAMPLE_ASPECT_RATIOS: readonly (readonly [number, number])[] = [
  [1, 1], // 0: unspecified, displayed as square
  [1, 1],
  [12, 11],
  [10, 11],
  [16, 11],
  [40, 33],
  [24, 11],
  [20, 11],
  [32, 11],
  [80, 33],
  [18, 11],
  [15, 11],
  [64, 33],
  [160, 99],
  [4, 3],
  [3, 2],
  [2, 1],
];
const EXTENDED_SAR = 255;

/** Reads the VUI. Never throws for its content: an error sets `fault` and leaves the remaining fields absent. */
export function readVui(bits: BitReader): Vui {
  const vui: Vui = {
    aspectRatioIdc: undefined,
    sarWidth: 1,
    sarHeight: 1,
    videoSignal: undefined,
    timing: undefined,
    nalHrd: undefined,
    vclHrd: undefined,
    hrdBits: undefined,
    lowDelayHrd: false,
    picStructPresent: false,
    bitstreamRestriction: undefined,
    fault: undefined,
  };
  try {
    readInto(bits, vui);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    vui.fault = error.code;
  }
  return vui;
}

function readInto(bits: BitReader, vui: Vui): void {
  if (bits.flag()) readAspectRatio(bits, vui);
  if (bits.flag()) bits.flag(); // overscan_appropriate_flag
  if (bits.flag()) vui.videoSignal = readVideoSignal(bits);
  if (bits.flag()) {
    bits.ue(); // chroma_sample_loc_type_top_field
    bits.ue(); // chroma_sample_loc_type_bottom_field
  }
  if (bits.flag()) vui.timing = readTiming(bits);
  if (bits.flag()) vui.nalHrd = readHrd(bits, vui);
  if (bits.flag()) vui.vclHrd = readHrd(bits, vui);
  if (vui.nalHrd || vui.vclHrd) vui.lowDelayHrd = bits.flag();
  vui.picStructPresent = bits.flag();
  if (bits.flag()) vui.bitstreamRestriction = readBitstreamRestriction(bits);
}

function readAspectRatio(bits: BitReader, vui: Vui): void {
  const idc = bits.u(8);
  vui.aspectRatioIdc = idc;
  if (idc === EXTENDED_SAR) {
    vui.sarWidth = bits.u(16);
    vui.sarHeight = bits.u(16);
    return;
  }
  const ratio = SAMPLE_ASPECT_RATIOS[idc];
  if (ratio) [vui.sarWidth, vui.sarHeight] = ratio;
}

function readVideoSignal(bits: BitReader): VideoSignal {
  const videoFormat = bits.u(3);
  const fullRange = bits.flag();
  const described = bits.flag();
  return {
    videoFormat,
    fullRange,
    colorPrimaries: described ? bits.u(8) : 2,
    transferCharacteristics: described ? bits.u(8) : 2,
    matrixCoefficients: described ? bits.u(8) : 2,
  };
}

function readTiming(bits: BitReader): VuiTiming {
  const numUnitsInTick = bits.u(32);
  const timeScale = bits.u(32);
  const fixedFrameRate = bits.flag();
  const sane = numUnitsInTick > 0 && timeScale > 0;
  return {
    numUnitsInTick,
    timeScale,
    fixedFrameRate,
    framesPerSecond: sane ? timeScale / (2 * numUnitsInTick) : undefined,
  };
}

function readHrd(bits: BitReader, vui: Vui): HrdEntry[] {
  const count = bits.ue() + 1;
  if (count > 32)
    throw new WireError('VUI_HRD', `cpb_cnt_minus1 is ${count - 1}, at most 31 is allowed`, 'H.264 E.2.2');
  const bitrateScale = bits.u(4);
  const cpbSizeScale = bits.u(4);
  const entries: HrdEntry[] = [];
  for (let i = 0; i < count; i++) {
    const bitrateValue = bits.ue() + 1;
    const cpbSizeValue = bits.ue() + 1;
    const cbr = bits.flag();
    entries.push({
      bitrateBps: bitrateValue * 2 ** (6 + bitrateScale),
      cpbSizeBits: cpbSizeValue * 2 ** (4 + cpbSizeScale),
      cbr,
    });
  }
  bits.u(5); // initial_cpb_removal_delay_length_minus1
  vui.hrdBits = { cpbRemovalDelay: bits.u(5) + 1, dpbOutputDelay: bits.u(5) + 1 };
  bits.u(5); // time_offset_length
  return entries;
}

function readBitstreamRestriction(bits: BitReader): BitstreamRestriction {
  bits.flag(); // motion_vectors_over_pic_boundaries_flag
  bits.ue(); // max_bytes_per_pic_denom
  bits.ue(); // max_bits_per_mb_denom
  bits.ue(); // log2_max_mv_length_horizontal
  bits.ue(); // log2_max_mv_length_vertical
  return { maxNumReorderFrames: bits.ue(), maxDecFrameBuffering: bits.ue() };
}

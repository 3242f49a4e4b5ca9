/**
 * Builds H.264 headers and NAL units from the fields that the parsers give back: parameter sets, avcC, slices whose
 * headers are valid and whose payload is filling of any size, SEI. Not decodable pictures; everything that Airlock reads is real.
 *
 *   const sps = buildSps({ width: 1280, height: 720, levelIdc: 31 });
 *   const avcc = buildAvcc({ sps: [sps] });
 *   const frame = lengthPrefixed([accessUnitDelimiter(), slice({ idr: true, size: 20_000 })]);
 */
import { BitWriter, concat } from './bit-writer.js';

export interface HrdFields {
  bitrateScale?: number;
  cpbSizeScale?: number;
  entries: readonly { bitrateValueMinus1: number; cpbSizeValueMinus1: number; cbr: boolean }[];
}

export interface VuiFields {
  aspectRatioIdc?: number;
  /** Makes the aspect ratio extended (idc 255). */
  sar?: readonly [number, number];
  overscanAppropriate?: boolean;
  videoSignal?: { videoFormat: number; fullRange: boolean; color?: readonly [number, number, number] };
  chromaLocation?: readonly [number, number];
  timing?: { numUnitsInTick: number; timeScale: number; fixedFrameRate?: boolean };
  nalHrd?: HrdFields;
  vclHrd?: HrdFields;
  picStructPresent?: boolean;
  restriction?: { maxNumReorderFrames: number; maxDecFrameBuffering: number };
}

export interface SpsFields {
  /** Shown size. The coded size is the next multiple of 16 (32 lines for interlaced), the rest is cropped right and below. */
  width?: number;
  height?: number;
  /** Overrides the cropping that `width` and `height` need, in luma samples: left, right, top, bottom. The coded size then is what `width` and `height` say. */
  cropping?: readonly [number, number, number, number];
  profileIdc?: number;
  constraintFlags?: number;
  levelIdc?: number;
  spsId?: number;
  chromaFormatIdc?: number;
  separateColorPlane?: boolean;
  bitDepthLuma?: number;
  bitDepthChroma?: number;
  /** One entry a list, 8 of them (12 for 4:4:4): undefined for a list that is not sent, else its delta_scale values. */
  scalingLists?: readonly (readonly number[] | undefined)[];
  log2MaxFrameNum?: number;
  picOrderCntType?: number;
  /** offset_for_ref_frame of picture order count type 1. */
  refFrameOffsets?: readonly number[];
  maxNumRefFrames?: number;
  frameMbsOnly?: boolean;
  mbaff?: boolean;
  vui?: VuiFields;
}

const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** Puts a NAL header byte before a payload and emulation prevention into it. */
export function nalUnit(headerByte: number, rbsp: Uint8Array): Uint8Array {
  const out: number[] = [headerByte];
  let zeros = 0;
  for (const byte of rbsp) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    out.push(byte);
  }
  return Uint8Array.from(out);
}

/** An SPS NAL unit (7.3.2.1.1). Defaults: 1280x720, High, level 3.1, 4 reference frames, no VUI. */
export function buildSps(fields: SpsFields = {}): Uint8Array {
  const {
    width = 1280,
    height = 720,
    profileIdc = 100,
    constraintFlags = 0,
    levelIdc = 31,
    chromaFormatIdc = 1,
    frameMbsOnly = true,
    picOrderCntType = 0,
  } = fields;
  const w = new BitWriter()
    .u(8, profileIdc)
    .u(8, constraintFlags)
    .u(8, levelIdc)
    .ue(fields.spsId ?? 0);
  if (HIGH_PROFILES.has(profileIdc)) writeSampleFormat(w, fields, chromaFormatIdc);
  w.ue((fields.log2MaxFrameNum ?? 4) - 4).ue(picOrderCntType);
  if (picOrderCntType === 0) w.ue(2);
  if (picOrderCntType === 1) {
    const offsets = fields.refFrameOffsets ?? [];
    w.bit(0).se(0).se(-1).ue(offsets.length);
    for (const offset of offsets) w.se(offset);
  }
  w.ue(fields.maxNumRefFrames ?? 4).bit(0);
  const mbRows = frameMbsOnly ? 16 : 32;
  const codedWidth = 16 * Math.ceil(width / 16);
  const codedHeight = mbRows * Math.ceil(height / mbRows);
  w.ue(codedWidth / 16 - 1)
    .ue(codedHeight / mbRows - 1)
    .bit(frameMbsOnly);
  if (!frameMbsOnly) w.bit(fields.mbaff ?? false);
  w.bit(1); // direct_8x8_inference_flag
  const crop = fields.cropping ?? [0, codedWidth - width, 0, codedHeight - height];
  const format = fields.separateColorPlane ? 0 : HIGH_PROFILES.has(profileIdc) ? chromaFormatIdc : 1;
  const unitX = format === 1 || format === 2 ? 2 : 1;
  const unitY = (format === 1 ? 2 : 1) * (frameMbsOnly ? 1 : 2);
  const cropped = crop.some((side) => side !== 0);
  w.bit(cropped);
  if (cropped)
    w.ue(crop[0] / unitX)
      .ue(crop[1] / unitX)
      .ue(crop[2] / unitY)
      .ue(crop[3] / unitY);
  w.bit(fields.vui !== undefined);
  if (fields.vui) writeVui(w, fields.vui);
  return nalUnit(0x67, w.trailing().bytes());
}

function writeSampleFormat(w: BitWriter, fields: SpsFields, chromaFormatIdc: number): void {
  w.ue(chromaFormatIdc);
  if (chromaFormatIdc === 3) w.bit(fields.separateColorPlane ?? false);
  w.ue((fields.bitDepthLuma ?? 8) - 8)
    .ue((fields.bitDepthChroma ?? 8) - 8)
    .bit(0)
    .bit(fields.scalingLists !== undefined);
  for (const list of fields.scalingLists ?? []) {
    w.bit(list !== undefined);
    for (const delta of list ?? []) w.se(delta);
  }
}

function writeVui(w: BitWriter, vui: VuiFields): void {
  const idc = vui.sar ? 255 : vui.aspectRatioIdc;
  w.bit(idc !== undefined);
  if (idc !== undefined) w.u(8, idc);
  if (vui.sar) w.u(16, vui.sar[0]).u(16, vui.sar[1]);
  w.bit(vui.overscanAppropriate !== undefined);
  if (vui.overscanAppropriate !== undefined) w.bit(vui.overscanAppropriate);
  w.bit(vui.videoSignal !== undefined);
  if (vui.videoSignal) {
    const { videoFormat, fullRange, color } = vui.videoSignal;
    w.u(3, videoFormat)
      .bit(fullRange)
      .bit(color !== undefined);
    for (const value of color ?? []) w.u(8, value);
  }
  w.bit(vui.chromaLocation !== undefined);
  for (const value of vui.chromaLocation ?? []) w.ue(value);
  w.bit(vui.timing !== undefined);
  if (vui.timing) {
    const { numUnitsInTick, timeScale, fixedFrameRate = false } = vui.timing;
    w.u(32, numUnitsInTick).u(32, timeScale).bit(fixedFrameRate);
  }
  for (const hrd of [vui.nalHrd, vui.vclHrd]) {
    w.bit(hrd !== undefined);
    if (hrd) writeHrd(w, hrd);
  }
  if (vui.nalHrd || vui.vclHrd) w.bit(0);
  w.bit(vui.picStructPresent ?? false).bit(vui.restriction !== undefined);
  if (vui.restriction) {
    const { maxNumReorderFrames, maxDecFrameBuffering } = vui.restriction;
    w.bit(1).ue(0).ue(0).ue(11).ue(11).ue(maxNumReorderFrames).ue(maxDecFrameBuffering);
  }
}

function writeHrd(w: BitWriter, hrd: HrdFields): void {
  w.ue(hrd.entries.length - 1)
    .u(4, hrd.bitrateScale ?? 0)
    .u(4, hrd.cpbSizeScale ?? 0);
  for (const entry of hrd.entries) w.ue(entry.bitrateValueMinus1).ue(entry.cpbSizeValueMinus1).bit(entry.cbr);
  w.u(5, 23).u(5, 23).u(5, 23).u(5, 24);
}

/** A PPS NAL unit (7.3.2.2). */
export function buildPps(fields: { ppsId?: number; spsId?: number; cabac?: boolean } = {}): Uint8Array {
  const w = new BitWriter()
    .ue(fields.ppsId ?? 0)
    .ue(fields.spsId ?? 0)
    .bit(fields.cabac ?? true)
    .bit(0)
    .ue(0) // num_slice_groups_minus1
    .ue(2)
    .ue(0)
    .bit(0)
    .u(2, 0)
    .se(0)
    .se(0)
    .se(0)
    .u(3, 0);
  return nalUnit(0x68, w.trailing().bytes());
}

export interface AvccFields {
  sps?: readonly Uint8Array[];
  pps?: readonly Uint8Array[];
  /** Length field of NAL units in frames. */
  nalLengthSize?: number;
  /** Reserved bits are ones by the standard; some encoders send zeros. */
  reservedBits?: boolean;
  /** The part for High profiles: chroma format and bit depths. Default: as the first SPS needs it. */
  tail?: boolean | Uint8Array;
  /** Overrides the copies of the first SPS's bytes. */
  profileIdc?: number;
  constraintFlags?: number;
  levelIdc?: number;
}

/** An AVCDecoderConfigurationRecord. Defaults: `buildSps()`, `buildPps()`, 4-byte lengths, tail for High. */
export function buildAvcc(fields: AvccFields = {}): Uint8Array {
  const sps = fields.sps ?? [buildSps()];
  const pps = fields.pps ?? [buildPps()];
  const reserved = fields.reservedBits ?? true;
  const first = sps[0];
  const profile = fields.profileIdc ?? first?.[1] ?? 100;
  const parts: Uint8Array[] = [
    Uint8Array.of(
      1,
      profile,
      fields.constraintFlags ?? first?.[2] ?? 0,
      fields.levelIdc ?? first?.[3] ?? 31,
      (reserved ? 0xfc : 0) | ((fields.nalLengthSize ?? 4) - 1),
      (reserved ? 0xe0 : 0) | sps.length,
    ),
  ];
  for (const set of sps) parts.push(Uint8Array.of(set.length >> 8, set.length & 255), set);
  parts.push(Uint8Array.of(pps.length));
  for (const set of pps) parts.push(Uint8Array.of(set.length >> 8, set.length & 255), set);
  const tail = fields.tail ?? [100, 110, 122, 244].includes(profile);
  if (tail instanceof Uint8Array) parts.push(tail);
  else if (tail) parts.push(Uint8Array.of(0xfd, 0xf8, 0xf8, 0));
  return concat(...parts);
}

export interface SliceFields {
  idr?: boolean;
  /** 'I' for IDR slices, else 'P'. */
  sliceType?: 'P' | 'B' | 'I';
  /** Bytes of the NAL unit, header included; at least 8. */
  size?: number;
  firstMb?: number;
  ppsId?: number;
  log2MaxFrameNum?: number;
  frameNum?: number;
  /** Written only when given: field_pic_flag exists in SPS with frame_mbs_only_flag 0. */
  fieldPic?: boolean;
}

/** A coded slice NAL unit: real header start, then filling that needs no emulation prevention. */
export function slice(fields: SliceFields = {}): Uint8Array {
  const { idr = false, size = 64, log2MaxFrameNum = 4 } = fields;
  const type = { P: 5, B: 6, I: 7 }[fields.sliceType ?? (idr ? 'I' : 'P')];
  const w = new BitWriter()
    .ue(fields.firstMb ?? 0)
    .ue(type)
    .ue(fields.ppsId ?? 0)
    .u(log2MaxFrameNum, fields.frameNum ?? (idr ? 0 : 1));
  if (fields.fieldPic !== undefined) {
    w.bit(fields.fieldPic);
    if (fields.fieldPic) w.bit(0);
  }
  if (idr) w.ue(0); // idr_pic_id
  const header = nalUnit(idr ? 0x65 : type === 6 ? 0x01 : 0x41, w.trailing().bytes());
  if (size < header.length) throw new RangeError(`a slice of ${size} bytes cannot hold its header of ${header.length}`);
  const out = new Uint8Array(size).fill(0xa5);
  out.set(header);
  return out;
}

/** An SEI NAL unit with one message. */
export function sei(payloadType: number, payload: Uint8Array): Uint8Array {
  const w: number[] = [];
  for (const value of [payloadType, payload.length]) {
    let rest = value;
    for (; rest >= 255; rest -= 255) w.push(255);
    w.push(rest);
  }
  return nalUnit(0x06, concat(Uint8Array.from(w), payload, Uint8Array.of(0x80)));
}

/** A recovery point SEI: count 0 makes an open-GOP key frame, a larger one starts an intra refresh. */
export function seiRecoveryPoint(recoveryFrameCnt = 0): Uint8Array {
  return sei(6, new BitWriter().ue(recoveryFrameCnt).bit(1).bit(0).u(2, 0).trailing().bytes());
}

const X264_UUID = [0xdc, 0x45, 0xe9, 0xbd, 0xe6, 0xd9, 0x48, 0xb7, 0x96, 0x2c, 0xd8, 0x20, 0xd9, 0x23, 0xee, 0xef];

/** The SEI in which x264 tells its version and options. */
export function seiX264(
  text = 'x264 - core 164 r3095 baee400 - H.264/MPEG-4 AVC codec - options: keyint=60',
): Uint8Array {
  return sei(5, concat(Uint8Array.from(X264_UUID), new TextEncoder().encode(`${text}\0`)));
}

export function accessUnitDelimiter(): Uint8Array {
  return Uint8Array.of(0x09, 0xf0);
}

/** Filler data of `size` bytes in all, as CBR encoders send. */
export function filler(size: number): Uint8Array {
  const out = new Uint8Array(size).fill(0xff);
  out[0] = 0x0c;
  out[size - 1] = 0x80;
  return out;
}

/** NAL units behind length fields, as FLV and MP4 carry a frame. */
export function lengthPrefixed(nalUnits: readonly Uint8Array[], nalLengthSize = 4): Uint8Array {
  return concat(
    ...nalUnits.flatMap((nal) => {
      const length = new Uint8Array(nalLengthSize);
      for (let i = 0; i < nalLengthSize; i++) length[nalLengthSize - 1 - i] = Math.floor(nal.length / 256 ** i) % 256;
      return [length, nal];
    }),
  );
}

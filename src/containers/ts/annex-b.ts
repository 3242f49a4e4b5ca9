/** H.264 with start codes (H.264, Annex B), as transport streams carry it. */
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { MAX_NAL_UNITS, NAL_IDR, NAL_PPS, NAL_SEI, NAL_SLICE, NAL_SPS } from '../../media/h264/nal-units.js';
import { parseSps } from '../../media/h264/sps.js';

const DELIMITER = 9;
const RECOVERY_POINT = 6;
const PROFILES_WITH_TAIL = new Set([100, 110, 122, 144, 244]);

/** A coded picture with what precedes it. */
export interface AccessUnit {
  readonly nals: readonly Uint8Array[];
  /** An IDR picture, or one with a recovery point: FFmpeg takes both for key frames. */
  readonly isKey: boolean;
}

/** The pictures of a PES packet: most have one. */
export function accessUnitsOf(data: Uint8Array): AccessUnit[] {
  const units: AccessUnit[] = [];
  let nals: Uint8Array[] = [];
  let hasSlice = false;
  let isKey = false;
  for (const nal of nalsOf(data)) {
    const type = (nal[0] ?? 0) & 0x1f;
    const isSlice = type >= NAL_SLICE && type <= NAL_IDR;
    if (hasSlice && type === DELIMITER) {
      units.push({ nals, isKey });
      nals = [];
      hasSlice = isKey = false;
    }
    hasSlice ||= isSlice;
    isKey ||= type === NAL_IDR || (type === NAL_SEI && hasRecoveryPoint(nal));
    nals.push(nal);
  }
  if (nals.length > 0) units.push({ nals, isKey });
  return units;
}

function nalsOf(data: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  let from = startCode(data, 0);
  while (from < data.length && found.length < MAX_NAL_UNITS) {
    from += 3;
    const next = startCode(data, from);
    // One zero byte before a start code belongs to it.
    const to = next < data.length && data[next - 1] === 0 ? next - 1 : next;
    if (to > from) found.push(data.subarray(from, to));
    from = next;
  }
  return found;
}

/** Position of 00 00 01 from `from` on; the end if there is none. */
function startCode(data: Uint8Array, from: number): number {
  for (let one = data.indexOf(1, from + 2); one >= 0; one = data.indexOf(1, one + 1)) {
    if (data[one - 1] === 0 && data[one - 2] === 0) return one - 2;
  }
  return data.length;
}

function hasRecoveryPoint(nal: Uint8Array): boolean {
  for (let at = 1; at + 2 <= nal.length; ) {
    let type = 0;
    while (nal[at] === 0xff) {
      type += 255;
      at++;
    }
    type += nal[at++] ?? 0;
    let size = 0;
    while (nal[at] === 0xff) {
      size += 255;
      at++;
    }
    size += nal[at++] ?? 0;
    if (type === RECOVERY_POINT) return true;
    at += size;
  }
  return false;
}

/** Appends the units, each behind its length. */
export function appendNals(list: SliceList, nals: readonly Uint8Array[]): void {
  for (const nal of nals) {
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, nal.length);
    list.push(head, 0, 4);
    list.push(nal, 0, nal.length);
  }
}

/** The AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1) of the parameter sets of a picture. Undefined: it has no SPS. */
export function avccOf(nals: readonly Uint8Array[]): Uint8Array | undefined {
  const ofType = (wanted: number) => nals.filter((nal) => ((nal[0] ?? 0) & 0x1f) === wanted && nal.length < 0x1_0000);
  const [sps, pps] = [ofType(NAL_SPS).slice(0, 31), ofType(NAL_PPS).slice(0, 255)];
  const [first] = sps;
  if (first === undefined || first.length < 4) return undefined;
  const bytes = [1, ...first.subarray(1, 4), 0xff, 0xe0 | sps.length];
  for (const set of sps) bytes.push(set.length >> 8, set.length & 0xff, ...set);
  bytes.push(pps.length);
  for (const set of pps) bytes.push(set.length >> 8, set.length & 0xff, ...set);
  return Uint8Array.from([...bytes, ...tailOf(first)]);
}

function tailOf(sps: Uint8Array): number[] {
  if (!PROFILES_WITH_TAIL.has(sps[1] ?? 0)) return [];
  try {
    const { chromaFormatIdc, bitDepthLuma, bitDepthChroma } = parseSps(sps);
    return [0xfc | chromaFormatIdc, 0xf8 | (bitDepthLuma - 8), 0xf8 | (bitDepthChroma - 8), 0];
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return [];
  }
}

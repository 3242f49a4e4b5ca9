/**
 * One H.264 track of a connection: its parameter sets, and the parsing of each frame. Inter frames are read up to the header of their first slice; key frames, and the first frames after a configuration, NAL unit
 * by NAL unit.
 */

import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { wireCodeOf } from '../../bytes/wire-error.js';
import {
  NAL_BEYOND_MESSAGE,
  NAL_IDR,
  NAL_PPS,
  NAL_SEI,
  NAL_SLICE,
  NAL_SPS,
  NAL_TOO_MANY,
  NalWalker,
} from '../h264/nal-units.js';
import { readPictureTiming } from '../h264/picture-timing.js';
import { type Pps, parsePps } from '../h264/pps.js';
import { SeiReader } from '../h264/sei.js';
import { readSliceHeader, SLICE_RBSP_BYTES } from '../h264/slice-fields.js';
import type { Sps } from '../h264/sps.js';
import type { VideoPacket } from '../packet.js';
import { AvcAnalysis } from './avc-analysis.js';
import { AvcRecord } from './avc-record.js';
import { AVC, HEVC } from './codecs.js';
import { SpsMemory } from './sps-memory.js';

/** payloadType of an SEI message (H.264 D.1). */
const PICTURE_TIMING = 1;

/** The length field before a NAL unit. */
function lengthAt(bytes: Uint8Array, at: number, lengthSize: number): number {
  let length = 0;
  for (let i = 0; i < lengthSize; i++) length = length * 256 + (bytes[at + i] as number);
  return length;
}

/**
 * Size of the SEI NAL unit at `from` if it holds one picture timing message and nothing else, which encoders with HRD
 * parameters send with every frame; 0 for anything else.
 */
function pictureTimingBytes(bytes: Uint8Array, from: number, to: number, lengthSize: number): number {
  const at = from + lengthSize;
  if (at + 3 > to || bytes[at] !== NAL_SEI || bytes[at + 1] !== PICTURE_TIMING) return 0;
  const length = lengthAt(bytes, from, lengthSize);
  // Header, payload type and size, payload, stop bit.
  return length === (bytes[at + 2] as number) + 4 && at + length <= to ? lengthSize + length : 0;
}

/** Frames parsed completely after a configuration, to detect encoders that flag key frames wrongly or not at all. */
const FIRST_FRAMES = 8;
/** x264's text is in the first key frame; a second one is checked in case the first was lost. */
const KEY_FRAMES_WITH_TEXT = 2;
/** Records in practice have some hundred bytes. */
const MAX_CONFIG_BYTES = 16_384;
/** An SPS with all scaling lists and both HRDs is shorter. */
const MAX_PARAMETER_SET_BYTES = 2048;
/** frame_num and field_pic_flag end well before this, emulation prevention included. */
const SLICE_HEADER_BYTES = 32;
/** Kept of each slice of an arriving message (`retain-headers.ts`); a plain frame's first piece must hold as many. */
const PLAIN_SLICE_BYTES = 60;
/** One inter frame of these has its time code read: a time code that jumps stays off. */
const FRAMES_A_SAMPLE = 16;
/** NAL unit header, payload type and payload size come before it. */
const PICTURE_TIMING_BODY = 3;
const HEVC_VPS_HEADER = 0x40;
const ANNEX_B_START_CODE = 1;
/** Searched for a start code; an arriving message keeps as many of each NAL unit (`retain-headers.ts`). */
const START_CODE_BYTES = 60;
const NAL_DELIMITER = 9;

/** Shared by all tracks of all connections: parsing is synchronous and keeps no reference. */
const SCRATCH = new Uint8Array(4096);
const SLICE_SCRATCH = new Uint8Array(SLICE_RBSP_BYTES);
const CURSOR = new SliceCursor();
const WALKER = new NalWalker(CURSOR);
const SEI = new SeiReader();

export class AvcTrack {
  #nalLengthSize = 4;
  readonly #record = new AvcRecord();
  #activeSps: Sps | undefined;
  readonly #spsById: (Sps | undefined)[] = [];
  readonly #ppsById: (Pps | undefined)[] = [];
  readonly #inBandSps = new SpsMemory();
  #framesToWalk = FIRST_FRAMES;
  #keyFramesForText = KEY_FRAMES_WITH_TEXT;
  /** Inter frames since the last sampled one, counted alike whether they arrive whole or in pieces. */
  #interFrames = 0;
  readonly #spsOfPps = (ppsId: number): Sps | undefined => {
    const pps = this.#ppsById[ppsId];
    return pps === undefined ? undefined : this.#spsById[pps.spsId];
  };
  readonly #analysis: AvcAnalysis | undefined;

  constructor(analysis: boolean) {
    if (analysis) this.#analysis = new AvcAnalysis(this.#ppsById, this.#spsById);
  }

  /** Size of the length field before each NAL unit: 1, 2 or 4. */
  get nalLengthSize(): number {
    return this.#nalLengthSize;
  }

  /** Fills `out` from a decoder configuration record at `[from, to)`. */
  parseConfig(payload: SliceList, from: number, to: number, out: VideoPacket): void {
    out.type = from < to ? 'config' : 'empty';
    if (from >= to) return;
    if (to - from > MAX_CONFIG_BYTES) {
      out.fault = 'AVCC_TOO_LONG';
      return;
    }
    const record = this.#record;
    if (record.read(payload, from, to)) {
      this.#framesToWalk = FIRST_FRAMES;
      this.#keyFramesForText = KEY_FRAMES_WITH_TEXT;
      this.#nalLengthSize = record.config?.nalLengthSize ?? 4;
      this.#analysis?.newConfig(record.config, record.fault !== undefined);
    }
    this.#activate();
    out.codec = record.isHevc ? HEVC : AVC;
    out.config = record.config;
    out.activeSps = this.#activeSps;
    out.fault = record.fault;
  }

  /**
   * Whether an inter frame of `size` bytes needs no further parsing: it begins with a slice, or with a picture timing SEI and
   * a slice, in a stream without field coding. Reads `bytes[from, to)`, the available prefix of the frame.
   */
  isPlain(bytes: Uint8Array, from: number, to: number, size: number): boolean {
    if (this.#framesToWalk > 0 || this.#record.config === undefined) return false;
    if (this.#activeSps === undefined || !this.#activeSps.frameMbsOnly) return false;
    const lengthSize = this.#nalLengthSize;
    const before = pictureTimingBytes(bytes, from, to, lengthSize);
    const at = from + before;
    if (at + lengthSize >= to) return false;
    const length = lengthAt(bytes, at, lengthSize);
    if (length === 0 || before + lengthSize + length > size) return false;
    const header = bytes[at + lengthSize] as number;
    if ((header & 0x1f) !== NAL_SLICE) return false;
    if (this.#analysis === undefined) return true;
    // The only slice of the frame, and nothing after it, with the slice header in the prefix.
    const needed = from + Math.min(size, before + lengthSize + PLAIN_SLICE_BYTES);
    return header < 0x80 && before + lengthSize + length === size && to >= needed;
  }

  /** Fills `out` for a frame that `isPlain`; the arguments are the same. */
  setPlain(bytes: Uint8Array, from: number, to: number, size: number, out: VideoPacket): void {
    const before = pictureTimingBytes(bytes, from, to, this.#nalLengthSize);
    out.type = 'coded';
    out.payloadBytes = size;
    out.nalTypes = before > 0 ? (1 << NAL_SEI) | (1 << NAL_SLICE) : 1 << NAL_SLICE;
    out.activeSps = this.#activeSps;
    const start = before + this.#nalLengthSize;
    if (this.#analysis === undefined) return;
    this.#analysis.plain(bytes, from + start, Math.min(to, from + size), size - start, out);
    if (this.#isSampled() && before > 0) this.#readTimecode(bytes, from, out);
  }

  /** Whether the time code of this inter frame is read. */
  #isSampled(): boolean {
    this.#interFrames = (this.#interFrames + 1) % FRAMES_A_SAMPLE;
    return this.#interFrames === 0;
  }

  #readTimecode(bytes: Uint8Array, from: number, out: VideoPacket): void {
    const vui = this.#activeSps?.vui;
    if (vui === undefined) return;
    const payload = from + this.#nalLengthSize + PICTURE_TIMING_BODY;
    out.timecode = readPictureTiming(bytes, payload, payload + (bytes[payload - 1] as number), vui);
  }

  /** Fills `out` from the length-prefixed NAL units at `[from, to)`; `out.flvKeyFrame` must be set. */
  parseFrame(payload: SliceList, from: number, to: number, out: VideoPacket): void {
    out.type = from < to ? 'coded' : 'empty';
    out.payloadBytes = Math.max(0, to - from);
    if (from >= to) return;
    if (!this.#record.config && !this.#record.isHevc) this.#detectHevc(payload, from);
    if (this.#record.isHevc) {
      out.codec = HEVC;
      return;
    }
    CURSOR.open(payload);
    this.#walk(from, to, out);
    if (WALKER.fault !== undefined) out.fault = this.#faultName(payload, from, WALKER.fault);
    else if (!this.#record.config) out.fault ??= 'AVC_CONFIG_MISSING';
    this.#analysis?.end(out, WALKER.fault !== undefined && WALKER.fault !== NAL_TOO_MANY);
    CURSOR.close();
  }

  #walk(from: number, to: number, out: VideoPacket): void {
    const wholeFrame = out.flvKeyFrame || this.#framesToWalk > 0;
    if (this.#framesToWalk > 0) this.#framesToWalk--;
    const wantText = out.flvKeyFrame && this.#keyFramesForText > 0;
    if (wantText) this.#keyFramesForText--;
    let nalTypes = 0;
    let inBandSpsIds = 0;
    SEI.reset();
    const analysis = this.#analysis;
    analysis?.begin();
    const wantTimecode = analysis !== undefined && (out.flvKeyFrame || this.#isSampled());
    WALKER.start(from, to, this.#nalLengthSize);
    while (WALKER.next()) {
      const type = WALKER.type;
      // The length of ciphertext is wrong, and its type: only the flag of the message tells a damaged key frame.
      if (WALKER.fault === NAL_BEYOND_MESSAGE && type !== (out.flvKeyFrame ? NAL_IDR : NAL_SLICE)) {
        if (nalTypes === 0 && out.flvKeyFrame) nalTypes = 1 << NAL_IDR;
        break;
      }
      const first = (nalTypes & (1 << type)) === 0;
      nalTypes |= 1 << type;
      if (analysis !== undefined) this.#analyze(analysis);
      if (type >= NAL_SLICE && type <= NAL_IDR) {
        if (first) this.#parseSlice(wholeFrame, out);
        if (!wholeFrame && analysis === undefined) break;
      } else if (type === NAL_SEI) {
        SEI.read(SCRATCH, WALKER.readRbsp(SCRATCH), wantText, wantTimecode ? this.#activeSps?.vui : undefined);
      } else if (type === NAL_SPS) {
        const sps = this.#takeInBandSps(out);
        if (sps) inBandSpsIds |= 1 << sps.spsId;
        if (sps) out.inBandSps ??= sps;
      } else if (type === NAL_PPS) {
        this.#takeInBandPps(out);
      }
    }
    out.nalTypes = nalTypes >>> 0;
    out.idr = (nalTypes & (1 << NAL_IDR)) !== 0;
    out.recoveryPoint = SEI.exactRecoveryPoint && !out.idr;
    out.encoderSei = SEI.x264Text;
    if (!SEI.performance.isEmpty) out.performance = SEI.performance;
    if (SEI.captions.present !== 0) out.captions = SEI.captions;
    out.timecode = SEI.timecode;
    out.activeSps = this.#activeSps;
    // If a frame has several SPS, report the one that the slice uses.
    if (this.#activeSps && (inBandSpsIds & (1 << this.#activeSps.spsId)) !== 0) out.inBandSps = this.#activeSps;
    if (SEI.x264Text !== undefined) this.#keyFramesForText = 0;
  }

  #analyze(analysis: AvcAnalysis): void {
    const { header, type } = WALKER;
    if (!analysis.nalUnit(header)) return;
    if (type !== NAL_SLICE && type !== NAL_IDR) {
      if (isWithoutSlices(type) && WALKER.hasStartCode(START_CODE_BYTES)) analysis.startCode();
      return;
    }
    if (analysis.hasSlice) analysis.nextSlice(WALKER.size);
    else analysis.slice(SLICE_SCRATCH, WALKER.readRbsp(SLICE_SCRATCH), header, WALKER.size);
  }

  /** Finds the active SPS and field coding. Allocates, so plain progressive inter frames skip it. */
  #parseSlice(wholeFrame: boolean, out: VideoPacket): void {
    if (!wholeFrame && (this.#activeSps === undefined || this.#activeSps.frameMbsOnly)) return;
    const size = WALKER.readRbsp(SCRATCH.subarray(0, SLICE_HEADER_BYTES));
    try {
      const header = readSliceHeader(SCRATCH.subarray(0, size), this.#spsOfPps);
      this.#activeSps = this.#spsOfPps(header.ppsId) ?? this.#activeSps;
      if (header.fieldPic === true) out.fieldCoded = true;
    } catch (error) {
      out.fault ??= wireCodeOf(error);
    }
  }

  #takeInBandSps(out: VideoPacket): Sps | undefined {
    if (WALKER.size > MAX_PARAMETER_SET_BYTES) {
      out.fault ??= 'SPS_TOO_LONG';
      return undefined;
    }
    const seen = this.#inBandSps.read(CURSOR, WALKER.offset, WALKER.size);
    if (seen.fault !== undefined) {
      out.fault ??= seen.fault;
      this.#analysis?.unreadableSet();
    }
    if (seen.sps) {
      this.#analysis?.replaceSps(this.#spsById[seen.sps.spsId], seen.sps);
      this.#spsById[seen.sps.spsId] = seen.sps;
    }
    // Provisional, until a slice selects one; without a PPS no slice can.
    if (seen.sps && (!this.#activeSps || this.#activeSps.spsId === seen.sps.spsId)) this.#activeSps = seen.sps;
    return seen.sps;
  }

  #takeInBandPps(out: VideoPacket): void {
    // parsePps removes emulation prevention itself, so it gets the raw bytes.
    const size = Math.min(WALKER.size, SLICE_HEADER_BYTES);
    CURSOR.seek(WALKER.offset);
    for (let i = 0; i < size; i++) SCRATCH[i] = CURSOR.u8();
    try {
      const pps = parsePps(SCRATCH.subarray(0, size));
      this.#ppsById[pps.ppsId] = pps;
    } catch (error) {
      out.fault ??= wireCodeOf(error);
      this.#analysis?.unreadableSet();
    }
  }

  /** A configuration record replaces earlier in-band parameter sets, even if it repeats an older record. */
  #activate(): void {
    const { config } = this.#record;
    if (!config) return;
    this.#spsById.length = 0;
    this.#ppsById.length = 0;
    for (const sps of config.sps) this.#spsById[sps.spsId] = sps;
    for (const pps of config.pps) this.#ppsById[pps.ppsId] = pps;
    this.#activeSps = config.sps[0] ?? this.#activeSps;
  }

  /** Detects HEVC under codec ID 7 without a record (old encoders behind CDNs): its first NAL unit is a VPS, which is not a valid H.264 header. */
  #detectHevc(payload: SliceList, from: number): void {
    this.#record.isHevc = payload.byteAt(from + 4) === HEVC_VPS_HEADER && payload.byteAt(from + 5) === 1;
  }

  /** Start codes in place of length fields read as a length of 1 and then fail; this cause has its own code. */
  #faultName(payload: SliceList, from: number, fault: string): string {
    if (this.#nalLengthSize !== 4) return fault;
    let first = 0;
    for (let i = 0; i < 4; i++) first = first * 256 + payload.byteAt(from + i);
    return first === ANNEX_B_START_CODE ? 'NAL_ANNEX_B' : fault;
  }
}

/** Sets, SEI and delimiters, which come before the slices and which byte streams carry in one piece with them. */
function isWithoutSlices(type: number): boolean {
  return type >= NAL_SEI && type <= NAL_DELIMITER;
}

/**
 * Keeps of an arriving video message only the bytes that the parsers read: headers, parameter sets, SEI and the start of
 * each slice. The rest, nearly all of a broadcast, becomes a hole, so that a frame in flight costs about a hundred bytes of
 * memory and its network buffer can be reused at once.
 *
 * Contract with `avc-track.ts` and `enhanced-parser.ts`: a message with retained headers parses exactly as the complete one.
 */
import { HEAD_ONLY, NAL_UNITS, type PartialFrame, UNDECIDED, WHOLE } from '../../bytes/partial-frame.js';
import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { MAX_NAL_UNITS, NAL_PPS, NAL_SEI, NAL_SPS } from '../h264/nal-units.js';

/** Longer than any header before a body that is dropped. */
const HEAD_BYTES = 64;
/** Size of an enhanced header with FourCC and composition time. */
const DECIDING_BYTES = 8;
/** Upper bound of the parsed part of a slice header, emulation prevention included. */
const SLICE_BYTES = 64;
/** Upper bound of the parsed part of an SEI, SPS or PPS: 4096 bytes plus emulation prevention. */
const PARAMETER_BYTES = 6400;
/** Initial store size, sufficient for most frames. */
const STORE_BYTES = 192;

const ENHANCED = 0x80;
const COMMAND_FRAME = 5;
const AVC_ID = 7;
const HEVC_ID = 12;
const CODED_FRAMES = 1;
const CODED_FRAMES_X = 3;
const FOUR_CC_AVC = 0x61766331;
const LEGACY_BODY = 5;

const CURSOR = new SliceCursor();
/** Ranges of the new bytes to keep: from, to, from, to, … */
let ranges = new Float64Array(64);
let rangeEnds = 0;

/**
 * `payload` is an incomplete message. True: it no longer refers to the buffers received since the last call. False: it is
 * unchanged, because all of it is needed.
 */
export function retainHeaders(payload: SliceList, partial: PartialFrame, nalLengthSize: number): boolean {
  if (partial.kind === UNDECIDED) {
    if (payload.length < DECIDING_BYTES) return false;
    decide(payload, partial, nalLengthSize);
  }
  if (partial.kind === WHOLE) return false;
  rangeEnds = 0;
  const have = payload.length;
  if (partial.keepTo > partial.decided) keep(partial.decided, Math.min(partial.keepTo, have));
  const pending = partial.kind === NAL_UNITS ? walk(payload, partial) : have;
  if (pending < have) keep(Math.max(pending, partial.decided), have);
  compact(payload, partial);
  partial.skipTo = unwantedTo(partial);
  return true;
}

/** Up to which offset no further byte is needed; 0 if the next one may be. */
function unwantedTo({ kind, keepTo, decided, nalUnits, next }: PartialFrame): number {
  if (keepTo > decided) return 0;
  return kind === HEAD_ONLY || nalUnits > MAX_NAL_UNITS ? Number.POSITIVE_INFINITY : next;
}

/**
 * For a file, whose bytes need not be read: offset of the next byte that the parsers will read of a message
 * received as far as `payload`, or Infinity if there is none. The bytes before it may be added as a hole.
 */
export function nextWanted(payload: SliceList, partial: PartialFrame, nalLengthSize: number): number {
  const have = payload.length;
  if (partial.kind === UNDECIDED) {
    if (have < DECIDING_BYTES) return have;
    decide(payload, partial, nalLengthSize);
  }
  if (partial.kind === WHOLE || partial.keepTo > have) return have;
  if (partial.kind === HEAD_ONLY) return Number.POSITIVE_INFINITY;
  rangeEnds = 0;
  walk(payload, partial);
  if (partial.keepTo > have) return have;
  return partial.nalUnits > MAX_NAL_UNITS ? Number.POSITIVE_INFINITY : Math.max(have, partial.next);
}

function decide(payload: SliceList, partial: PartialFrame, nalLengthSize: number): void {
  const first = payload.byteAt(0);
  let body = LEGACY_BODY;
  let isAvc = false;
  partial.kind = WHOLE;
  if ((first & ENHANCED) !== 0) {
    const packetType = first & 0x0f;
    if (((first >> 4) & 7) === COMMAND_FRAME || (packetType !== CODED_FRAMES && packetType !== CODED_FRAMES_X)) return;
    let fourCc = 0;
    for (let i = 1; i <= 4; i++) fourCc = fourCc * 256 + payload.byteAt(i);
    isAvc = fourCc === FOUR_CC_AVC;
    if (packetType === CODED_FRAMES) body += 3;
  } else {
    const codecId = first & 0x0f;
    if (first >> 4 === COMMAND_FRAME) return;
    if ((codecId === AVC_ID || codecId === HEVC_ID) && payload.byteAt(1) !== CODED_FRAMES) return;
    isAvc = codecId === AVC_ID;
  }
  partial.kind = isAvc ? NAL_UNITS : HEAD_ONLY;
  partial.keepTo = isAvc ? body : HEAD_BYTES;
  partial.next = body;
  partial.nalLengthSize = nalLengthSize;
}

/** Collects the ranges to keep of each NAL unit whose start has arrived. Returns the offset from which this is not yet known. */
function walk(payload: SliceList, partial: PartialFrame): number {
  const have = payload.length;
  const { nalLengthSize } = partial;
  let { next } = partial;
  if (next + nalLengthSize >= have) return partial.nalUnits > MAX_NAL_UNITS ? have : next;
  CURSOR.openAt(payload, partial.pieces, partial.decided);
  while (next + nalLengthSize < have && partial.nalUnits <= MAX_NAL_UNITS) {
    partial.nalUnits++;
    CURSOR.seek(next);
    const length = CURSOR.uint(nalLengthSize);
    const body = next + nalLengthSize;
    const wanted = length === 0 ? 0 : wantedOf(CURSOR.u8() & 0x1f);
    partial.keepTo = body + Math.min(length, wanted);
    keep(Math.max(next, partial.decided), Math.min(partial.keepTo, have));
    next = body + length;
  }
  CURSOR.close();
  partial.next = next;
  return partial.nalUnits > MAX_NAL_UNITS ? have : next;
}

function wantedOf(nalType: number): number {
  return nalType === NAL_SPS || nalType === NAL_SEI || nalType === NAL_PPS ? PARAMETER_BYTES : SLICE_BYTES;
}

function keep(from: number, to: number): void {
  if (from >= to) return;
  if (rangeEnds > 0 && (ranges[rangeEnds - 1] as number) >= from) {
    ranges[rangeEnds - 1] = Math.max(ranges[rangeEnds - 1] as number, to);
    return;
  }
  if (rangeEnds + 2 > ranges.length) {
    const larger = new Float64Array(2 * ranges.length);
    larger.set(ranges);
    ranges = larger;
  }
  ranges[rangeEnds++] = from;
  ranges[rangeEnds++] = to;
}

/** Replaces the pieces received since the last call by copies and holes. */
function compact(payload: SliceList, partial: PartialFrame): void {
  const have = payload.length;
  let kept = 0;
  for (let i = 0; i < rangeEnds; i += 2) kept += (ranges[i + 1] as number) - (ranges[i] as number);
  const store = room(partial, kept);
  const from = partial.stored;
  let at = from;
  // Ranges ascend, so each search continues from the previous one.
  let piece = partial.pieces;
  let pieceEnd = partial.decided + payload.sizeAt(piece);
  for (let i = 0; i < rangeEnds; i += 2) {
    const start = ranges[i] as number;
    const end = ranges[i + 1] as number;
    while (pieceEnd <= start) {
      piece++;
      pieceEnd += payload.sizeAt(piece);
    }
    payload.copyInto(store, at, start, end, piece, pieceEnd - payload.sizeAt(piece));
    at += end - start;
  }
  partial.stored = at;
  partial.kept += kept;
  payload.truncate(partial.pieces);
  at = from;
  let position = partial.decided;
  for (let i = 0; i < rangeEnds; i += 2) {
    const start = ranges[i] as number;
    const size = (ranges[i + 1] as number) - start;
    if (start > position) payload.pushHole(start - position);
    payload.push(store, at, at + size);
    at += size;
    position = start + size;
  }
  if (have > position) payload.pushHole(have - position);
  partial.decided = have;
  partial.pieces = payload.count;
}

/** Existing pieces point into the store, so a store that is too small is replaced, not resized. */
function room(partial: PartialFrame, bytes: number): Uint8Array {
  if (partial.stored + bytes > partial.store.length) {
    partial.store = new Uint8Array(Math.max(STORE_BYTES, 2 * bytes));
    partial.stored = 0;
  }
  return partial.store;
}

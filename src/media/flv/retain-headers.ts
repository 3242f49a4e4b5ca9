/**
 * Looks over a video message while it arrives and keeps of it what the parsers will look at: headers, parameter sets,
 * SEI and the start of each slice. The rest, nearly all of a broadcast, becomes a hole, so that a frame in flight costs
 * a hundred bytes of memory and its network buffer is free at once.
 *
 * The contract with `avc-track.ts` and `enhanced-parser.ts`: a message of which only the headers were retained parses exactly as the whole one.
 */
import { HEAD_ONLY, NAL_UNITS, type PartialFrame, UNDECIDED, WHOLE } from '../../bytes/partial-frame.js';
import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { MAX_NAL_UNITS, NAL_PPS, NAL_SEI, NAL_SPS } from '../h264/nal-units.js';

/** Longer than any header in front of a body that is left out. */
const HEAD_BYTES = 64;
/** An enhanced header with its FourCC and composition time. */
const DECIDING_BYTES = 8;
/** As much of a slice as its header can take, emulation prevention included. */
const SLICE_BYTES = 64;
/** As much of an SEI, SPS or PPS as the parsers read: 4096 bytes without emulation prevention, and that. */
const PARAMETER_BYTES = 6400;
/** Frames mostly need less than this; what needs more gets a store of its own. */
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
/** Ranges to keep of the bytes at hand: from, to, from, to, … */
let ranges = new Float64Array(64);
let rangeEnds = 0;

/**
 * `payload` is as far as it has arrived, more is to come. True: nothing in it refers to the buffers that came since the
 * last call. False: nothing was changed, all of it is wanted.
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
  return true;
}

/**
 * The same of a file, whose bytes stay where they are: of a message that has come as far as `payload`, the offset of the
 * next byte that the parsers will look at, infinite when there is none. What lies before it may be put in as a hole.
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

/** Notes what to keep of each NAL unit whose start is there. Returns from where on it cannot be told yet. */
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

/** Puts copies and holes in place of the pieces that came since the last call. */
function compact(payload: SliceList, partial: PartialFrame): void {
  const have = payload.length;
  let kept = 0;
  for (let i = 0; i < rangeEnds; i += 2) kept += (ranges[i + 1] as number) - (ranges[i] as number);
  const store = room(partial, kept);
  const from = partial.stored;
  const { starts, ends } = payload;
  let at = from;
  // Ranges ascend, so the way to each goes on from the one before.
  let piece = partial.pieces;
  let pieceEnd = partial.decided + (ends[piece] as number) - (starts[piece] as number);
  for (let i = 0; i < rangeEnds; i += 2) {
    const start = ranges[i] as number;
    const end = ranges[i + 1] as number;
    while (pieceEnd <= start) {
      piece++;
      pieceEnd += (ends[piece] as number) - (starts[piece] as number);
    }
    payload.copyInto(store, at, start, end, piece, pieceEnd - (ends[piece] as number) + (starts[piece] as number));
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

/** Pieces point into the store, so one that is too small is left to them. */
function room(partial: PartialFrame, bytes: number): Uint8Array {
  if (partial.stored + bytes > partial.store.length) {
    partial.store = new Uint8Array(Math.max(STORE_BYTES, 2 * bytes));
    partial.stored = 0;
  }
  return partial.store;
}

/**
 * Looks over a video message while it arrives and keeps of it what the parsers will look at: headers, parameter sets,
 * SEI and the start of each slice. The rest, nearly all of a broadcast, becomes a hole, so that a frame in flight costs
 * a hundred bytes of memory and its network buffer is free at once.
 *
 * The contract with `avc-track.ts` and `enhanced-parser.ts`: a message that was skimmed parses exactly as the whole one.
 */
import { HEAD_ONLY, NAL_UNITS, type SkimProgress, UNDECIDED, WHOLE } from '../../bytes/skim-progress.js';
import { SliceCursor } from '../../bytes/slice-cursor.js';
import type { SliceList } from '../../bytes/slices.js';
import { MAX_NAL_UNITS, NAL_PPS, NAL_SEI, NAL_SPS } from '../h264/nal-units.js';

/** Longer than any header in front of a body that is skimmed. */
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
export function skimVideo(payload: SliceList, progress: SkimProgress, nalLengthSize: number): boolean {
  if (progress.kind === UNDECIDED) {
    if (payload.length < DECIDING_BYTES) return false;
    decide(payload, progress, nalLengthSize);
  }
  if (progress.kind === WHOLE) return false;
  rangeEnds = 0;
  const have = payload.length;
  if (progress.keepTo > progress.decided) keep(progress.decided, Math.min(progress.keepTo, have));
  const pending = progress.kind === NAL_UNITS ? walk(payload, progress) : have;
  if (pending < have) keep(Math.max(pending, progress.decided), have);
  compact(payload, progress);
  return true;
}

/**
 * The same of a file, whose bytes stay where they are: of a message that has come as far as `payload`, the offset of the
 * next byte that the parsers will look at, infinite when there is none. What lies before it may be put in as a hole.
 */
export function nextWanted(payload: SliceList, progress: SkimProgress, nalLengthSize: number): number {
  const have = payload.length;
  if (progress.kind === UNDECIDED) {
    if (have < DECIDING_BYTES) return have;
    decide(payload, progress, nalLengthSize);
  }
  if (progress.kind === WHOLE || progress.keepTo > have) return have;
  if (progress.kind === HEAD_ONLY) return Number.POSITIVE_INFINITY;
  rangeEnds = 0;
  walk(payload, progress);
  if (progress.keepTo > have) return have;
  return progress.nalUnits > MAX_NAL_UNITS ? Number.POSITIVE_INFINITY : Math.max(have, progress.next);
}

function decide(payload: SliceList, progress: SkimProgress, nalLengthSize: number): void {
  const first = payload.byteAt(0);
  let body = LEGACY_BODY;
  let isAvc = false;
  progress.kind = WHOLE;
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
  progress.kind = isAvc ? NAL_UNITS : HEAD_ONLY;
  progress.keepTo = isAvc ? body : HEAD_BYTES;
  progress.next = body;
  progress.nalLengthSize = nalLengthSize;
}

/** Notes what to keep of each NAL unit whose start is there. Returns from where on it cannot be told yet. */
function walk(payload: SliceList, progress: SkimProgress): number {
  const have = payload.length;
  const { nalLengthSize } = progress;
  let { next } = progress;
  if (next + nalLengthSize >= have) return progress.nalUnits > MAX_NAL_UNITS ? have : next;
  CURSOR.openAt(payload, progress.pieces, progress.decided);
  while (next + nalLengthSize < have && progress.nalUnits <= MAX_NAL_UNITS) {
    progress.nalUnits++;
    CURSOR.seek(next);
    const length = CURSOR.uint(nalLengthSize);
    const body = next + nalLengthSize;
    const wanted = length === 0 ? 0 : wantedOf(CURSOR.u8() & 0x1f);
    progress.keepTo = body + Math.min(length, wanted);
    keep(Math.max(next, progress.decided), Math.min(progress.keepTo, have));
    next = body + length;
  }
  CURSOR.close();
  progress.next = next;
  return progress.nalUnits > MAX_NAL_UNITS ? have : next;
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
function compact(payload: SliceList, progress: SkimProgress): void {
  const have = payload.length;
  let kept = 0;
  for (let i = 0; i < rangeEnds; i += 2) kept += (ranges[i + 1] as number) - (ranges[i] as number);
  const store = room(progress, kept);
  const from = progress.stored;
  const { starts, ends } = payload;
  let at = from;
  // Ranges ascend, so the way to each goes on from the one before.
  let piece = progress.pieces;
  let pieceEnd = progress.decided + (ends[piece] as number) - (starts[piece] as number);
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
  progress.stored = at;
  progress.kept += kept;
  payload.truncate(progress.pieces);
  at = from;
  let position = progress.decided;
  for (let i = 0; i < rangeEnds; i += 2) {
    const start = ranges[i] as number;
    const size = (ranges[i + 1] as number) - start;
    if (start > position) payload.pushHole(start - position);
    payload.push(store, at, at + size);
    at += size;
    position = start + size;
  }
  if (have > position) payload.pushHole(have - position);
  progress.decided = have;
  progress.pieces = payload.count;
}

/** Pieces point into the store, so one that is too small is left to them. */
function room(progress: SkimProgress, bytes: number): Uint8Array {
  if (progress.stored + bytes > progress.store.length) {
    progress.store = new Uint8Array(Math.max(STORE_BYTES, 2 * bytes));
    progress.stored = 0;
  }
  return progress.store;
}

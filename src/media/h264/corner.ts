/**
 * Brightness of the upper left corner of an I picture: the mean luma of the first block of its first macroblock, which is
 * predicted from nothing, so that its lowest coefficient alone gives it (H.264 8.3.1.2.3, 8.5). It tells most pictures from a black
 * one for some microseconds, where decoding a key frame costs milliseconds.
 */
import { BitCursor } from '../../bytes/bit-cursor.js';
import {
  CODED_BLOCKS,
  COEFF_TOKEN,
  CONTEXTS,
  type Codes,
  LAST_8X8,
  LAST_CONTEXT,
  NEXT_LPS,
  RANGE_LPS,
  RUN_BEFORE,
  SIGNIFICANT_8X8,
  TOTAL_ZEROS,
} from './corner-tables.js';
import type { Pps } from './pps.js';
import { SLICE_RBSP_BYTES } from './slice-fields.js';
import type { Sps } from './sps.js';

/** Prediction where no neighbor is available, with 8 bits. */
const MIDDLE = 128;
const I_PCM = 25;
const QP_COUNT = 52;
/** mb_qp_delta is within -26 and 25. */
const MAX_DELTA = 52;
/** Longer prefixes are damage, as levels of 8 bits have none. */
const MAX_PREFIX = 20;
/** coeff_abs_level_minus1 from 14 on has a suffix (9.3.2.3). */
const LEVEL_PREFIX = 15;
const MAX_ORDER = 16;
/** Leading zeros of a range of 256 or more. */
const RANGE_CLZ = 23;
/** LevelScale of the lowest coefficient (8.5.9), by QP modulo 6. */
const SCALE_4X4 = [10, 11, 13, 14, 16, 18];
const SCALE_8X8 = [20, 22, 26, 28, 32, 36];
const NO_CODES: Codes = [[], []];

const BITS = new BitCursor(SLICE_RBSP_BYTES);

/**
 * `rbsp[0, size)` is the start of an I slice with the first macroblock, `dataAt` the offset of its data in bits. 0 to 255 as coded;
 * NaN if the start does not suffice, or for coding that broadcasts rarely have: fields, more than 8 bits, other than 4:2:0, scaling lists.
 */
export function cornerLuma(
  rbsp: Uint8Array,
  size: number,
  dataAt: number,
  sliceQp: number,
  pps: Pps,
  sps: Sps,
): number {
  const isUsual = sps.chromaFormatIdc === 1 && sps.bitDepthLuma === 8 && sps.bitDepthChroma === 8;
  if (!isUsual || !sps.frameMbsOnly || sps.scalingMatrixPresent || pps.transform8x8 === undefined || !(sliceQp >= 0))
    return Number.NaN;
  BITS.open(rbsp, 0, size);
  BITS.skip(dataAt);
  const mean = pps.entropyCodingMode ? byCabac(sliceQp, pps.transform8x8) : byCavlc(sliceQp, pps.transform8x8);
  return BITS.isOver ? Number.NaN : Math.max(0, Math.min(255, mean));
}

/** The mean of a block by the level of its lowest coefficient: in 64ths of a 4x4 block, in 256ths of the larger ones. */
function meanOf(level: number, qp: number, scales: readonly number[], parts: number): number {
  return MIDDLE + (level * (scales[qp % 6] as number) * 2 ** Math.trunc(qp / 6)) / parts;
}

/** QP_Y by mb_qp_delta (7.4.5). */
const qpAfter = (qp: number, delta: number): number => (qp + delta + QP_COUNT) % QP_COUNT;

// ---------------------------------------------------------------- CAVLC

function byCavlc(sliceQp: number, mayBe8x8: boolean): number {
  const type = BITS.ue();
  if (type >= I_PCM) return Number.NaN;
  if (type > 0) {
    BITS.ue(); // intra_chroma_pred_mode
    const qp = qpAfter(sliceQp, BITS.se());
    return meanOf(lowestByCavlc(), qp, SCALE_4X4, 256);
  }
  const is8x8 = mayBe8x8 && BITS.flag();
  for (let i = 0; i < (is8x8 ? 4 : 16); i++) if (!BITS.flag()) BITS.skip(3);
  BITS.ue(); // intra_chroma_pred_mode
  if (((CODED_BLOCKS[BITS.ue()] ?? 0) & 1) === 0) return MIDDLE;
  const qp = qpAfter(sliceQp, BITS.se());
  // An 8x8 block comes in four parts (7.3.5.3.2): the first has the lowest coefficient.
  return is8x8 ? meanOf(lowestByCavlc(), qp, SCALE_8X8, 256) : meanOf(lowestByCavlc(), qp, SCALE_4X4, 64);
}

/** The lowest coefficient of a block without neighbors (7.3.5.3.2, 9.2). */
function lowestByCavlc(): number {
  const token = codeOf(COEFF_TOKEN);
  const total = token >> 2;
  const ones = token & 3;
  if (total === 0) return 0;
  let level = 0;
  let suffixLength = total > 10 && ones < 3 ? 1 : 0;
  for (let i = 0; i < total; i++) {
    if (i < ones) {
      level = BITS.flag() ? -1 : 1;
      continue;
    }
    let prefix = 0;
    while (!BITS.isOver && prefix < MAX_PREFIX && !BITS.flag()) prefix++;
    if (prefix === MAX_PREFIX) return Number.NaN;
    const size = prefix === 14 && suffixLength === 0 ? 4 : prefix >= 15 ? prefix - 3 : suffixLength;
    let code = (Math.min(15, prefix) << suffixLength) + BITS.u(size);
    if (prefix >= 15 && suffixLength === 0) code += 15;
    if (prefix >= 16) code += (1 << (prefix - 3)) - 4096;
    if (i === ones && ones < 3) code += 2;
    level = (code & 1) === 0 ? (code + 2) >> 1 : (-code - 1) >> 1;
    if (suffixLength === 0) suffixLength = 1;
    if (Math.abs(level) > 3 << (suffixLength - 1) && suffixLength < 6) suffixLength++;
  }
  let zeros = total < 16 ? codeOf(TOTAL_ZEROS[total - 1]) : 0;
  for (let i = 1; i < total && zeros > 0; i++) zeros -= codeOf(RUN_BEFORE[Math.min(zeros, RUN_BEFORE.length) - 1]);
  return zeros > 0 ? 0 : level;
}

/** The place of the next code; NaN, and past the end, if there is none. */
function codeOf(codes: Codes | undefined): number {
  const [lengths, bits] = codes ?? NO_CODES;
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] as number;
    if (length === 0 || BITS.peek(length) !== bits[i]) continue;
    BITS.skip(length);
    return i;
  }
  BITS.skip(BITS.left + 1);
  return 0;
}

// ---------------------------------------------------------------- CABAC

function byCabac(sliceQp: number, mayBe8x8: boolean): number {
  BITS.align();
  CABAC.start(sliceQp);
  if (CABAC.bin(3) === 0) return ofSmallBlocks(sliceQp, mayBe8x8);
  if (CABAC.terminate() === 1) return Number.NaN;
  CABAC.bin(6);
  if (CABAC.bin(7) === 1) CABAC.bin(8);
  CABAC.bin(9);
  CABAC.bin(10);
  skipChromaMode();
  const qp = qpAfter(sliceQp, qpDelta());
  return meanOf(CABAC.bin(88) === 1 ? lowestByCabac(DC_16X16) : 0, qp, SCALE_4X4, 256);
}

function ofSmallBlocks(sliceQp: number, mayBe8x8: boolean): number {
  const is8x8 = mayBe8x8 && CABAC.bin(399) === 1;
  for (let i = 0; i < (is8x8 ? 4 : 16); i++) {
    if (CABAC.bin(68) === 1) continue;
    for (let bit = 0; bit < 3; bit++) CABAC.bin(69);
  }
  skipChromaMode();
  // coded_block_pattern: neighbors that are not coded raise the context (9.3.3.1.1.4).
  const first = CABAC.bin(73);
  const second = CABAC.bin(74 - first);
  const third = CABAC.bin(75 - 2 * first);
  CABAC.bin(76 - third - 2 * second);
  if (CABAC.bin(77) === 1) CABAC.bin(81);
  if (first === 0) return MIDDLE;
  const qp = qpAfter(sliceQp, qpDelta());
  if (is8x8) return meanOf(lowestByCabac(LUMA_8X8), qp, SCALE_8X8, 256);
  return meanOf(CABAC.bin(96) === 1 ? lowestByCabac(LUMA_4X4) : 0, qp, SCALE_4X4, 64);
}

function skipChromaMode(): void {
  if (CABAC.bin(64) === 1 && CABAC.bin(67) === 1) CABAC.bin(67);
}

/** mb_qp_delta, of a first macroblock. */
function qpDelta(): number {
  let count = 0;
  for (let context = 60; count < MAX_DELTA && CABAC.bin(context) === 1; count++) context = count === 0 ? 62 : 63;
  return (count & 1) === 1 ? (count + 1) >> 1 : -(count >> 1);
}

interface BlockKind {
  readonly size: number;
  /** First contexts. */
  readonly significant: number;
  readonly last: number;
  readonly level: number;
}

const DC_16X16: BlockKind = { size: 16, significant: 105, last: 166, level: 227 };
const LUMA_4X4: BlockKind = { size: 16, significant: 134, last: 195, level: 247 };
const LUMA_8X8: BlockKind = { size: 64, significant: 402, last: 417, level: 426 };

/** The lowest coefficient, whose level comes last (7.3.5.3.3). */
function lowestByCabac(kind: BlockKind): number {
  let count = 0;
  let hasLowest = false;
  let i = 0;
  for (; i < kind.size - 1; i++) {
    const is8x8 = kind.size === 64;
    if (CABAC.bin(kind.significant + (is8x8 ? (SIGNIFICANT_8X8[i] as number) : i)) === 0) continue;
    count++;
    if (i === 0) hasLowest = true;
    if (CABAC.bin(kind.last + (is8x8 ? (LAST_8X8[i] as number) : i)) === 1) break;
  }
  if (i === kind.size - 1) count++;
  if (!hasLowest) return 0;
  let level = 0;
  let equal = 0;
  let greater = 0;
  for (; count > 0 && !BITS.isOver; count--) {
    level = levelByCabac(kind.level, greater > 0 ? 0 : Math.min(4, 1 + equal), 5 + Math.min(4, greater));
    if (Math.abs(level) === 1) equal++;
    else greater++;
  }
  return level;
}

function levelByCabac(base: number, first: number, next: number): number {
  let size = 1;
  if (CABAC.bin(base + first) === 1) {
    size++;
    while (size < LEVEL_PREFIX && CABAC.bin(base + next) === 1) size++;
    if (size === LEVEL_PREFIX) size += CABAC.bypassCode();
  }
  return CABAC.bypass() === 1 ? -size : size;
}

/** Arithmetic decoding (9.3.1.2, 9.3.3.2), one bit at a time: a macroblock has some hundred bins. */
class Cabac {
  /** pStateIdx and valMPS by ctxIdx. */
  readonly #states = new Uint8Array(LAST_CONTEXT + 1);
  readonly #likely = new Uint8Array(LAST_CONTEXT + 1);
  #range = 0;
  #offset = 0;

  start(sliceQp: number): void {
    for (const [from, ...values] of CONTEXTS) {
      for (let i = 0; i < values.length; i += 2) {
        const state = ((values[i] as number) * sliceQp) >> 4;
        const before = Math.max(1, Math.min(126, state + (values[i + 1] as number)));
        const at = (from as number) + i / 2;
        this.#states[at] = before <= 63 ? 63 - before : before - 64;
        this.#likely[at] = before <= 63 ? 0 : 1;
      }
    }
    this.#range = 510;
    this.#offset = BITS.u(9);
  }

  bin(context: number): number {
    const state = this.#states[context] as number;
    const likely = this.#likely[context] as number;
    const lps = RANGE_LPS[4 * state + ((this.#range >> 6) & 3)] as number;
    this.#range -= lps;
    if (this.#offset < this.#range) {
      if (state < 62) this.#states[context] = state + 1;
      this.#renormalize();
      return likely;
    }
    this.#offset -= this.#range;
    this.#range = lps;
    if (state === 0) this.#likely[context] = 1 - likely;
    this.#states[context] = NEXT_LPS[state] as number;
    this.#renormalize();
    return 1 - likely;
  }

  bypass(): number {
    this.#offset = 2 * this.#offset + BITS.u(1);
    if (this.#offset < this.#range) return 0;
    this.#offset -= this.#range;
    return 1;
  }

  /** Exp-Golomb code of order 0 (9.3.2.3). */
  bypassCode(): number {
    let order = 0;
    while (order < MAX_ORDER && !BITS.isOver && this.bypass() === 1) order++;
    let value = 2 ** order - 1;
    for (let bit = order - 1; bit >= 0; bit--) value += this.bypass() << bit;
    return value;
  }

  terminate(): number {
    this.#range -= 2;
    if (this.#offset >= this.#range) return 1;
    this.#renormalize();
    return 0;
  }

  #renormalize(): void {
    const shift = Math.clz32(this.#range) - RANGE_CLZ;
    if (shift <= 0) return;
    this.#range <<= shift;
    this.#offset = (this.#offset << shift) | BITS.u(shift);
  }
}

const CABAC = new Cabac();

/**
 * AVCDecoderConfigurationRecord (ISO/IEC 14496-15, "AVC decoder configuration record").
 * Refuses (WireError) only input that cannot be a record. Anything else is kept as far as it can be read: `faults` lists
 * what could not be read, `notes` violations that decoders tolerate.
 */
import { WireError, wireCodeOf } from '../../bytes/wire-error.js';
import { type Pps, parsePps } from './pps.js';
import { parseSps, type Sps } from './sps.js';

export interface AvcDecoderConfiguration {
  /** The record's copies of the SPS's first bytes; if they differ, the SPS is authoritative. */
  readonly profileIndication: number;
  readonly profileCompatibility: number;
  readonly levelIndication: number;
  /** Size of the length field before each NAL unit: 1, 2 or 4 (3 is not allowed; it is noted and still readable). */
  readonly nalLengthSize: number;
  /** The valid SPS, in the record's order. Empty if the encoder sends them in band only. */
  readonly sps: readonly Sps[];
  readonly pps: readonly Pps[];
  /** The tail of High profiles, which many encoders omit. */
  readonly tail: AvccTail | undefined;
  /** Codes: AVCC_SPS_TRUNCATED, AVCC_PPS_TRUNCATED, and those of `parseSps` and `parsePps`. */
  readonly faults: readonly string[];
  /** Codes: AVCC_RESERVED_BITS, AVCC_NAL_LENGTH_SIZE, AVCC_NO_SPS, AVCC_NO_PPS, AVCC_TAIL_TRUNCATED, AVCC_PROFILE_DIFFERS, AVCC_LEVEL_DIFFERS, AVCC_TAIL_DIFFERS. */
  readonly notes: readonly string[];
}

export interface AvccTail {
  readonly chromaFormatIdc: number;
  readonly bitDepthLuma: number;
  readonly bitDepthChroma: number;
}

const CLAUSE = 'ISO/IEC 14496-15, AVC decoder configuration record';
const PROFILES_WITH_TAIL = new Set([100, 110, 122, 144, 244]);

/** Parses a record. Throws WireError: AVCC_TOO_SHORT (below 6 bytes), AVCC_VERSION (first byte is not 1). */
export function parseAvcc(record: Uint8Array): AvcDecoderConfiguration {
  if (record.length < 6) throw new WireError('AVCC_TOO_SHORT', `${record.length} bytes, expected at least 6`, CLAUSE);
  const byteAt = (at: number): number => record[at] ?? 0;
  if (byteAt(0) !== 1)
    throw new WireError('AVCC_VERSION', `configurationVersion is ${byteAt(0)}, expected 1`, CLAUSE, 0);
  const faults: string[] = [];
  const notes: string[] = [];
  const nalLengthSize = (byteAt(4) & 3) + 1;
  if (byteAt(4) < 0xfc || byteAt(5) < 0xe0) notes.push('AVCC_RESERVED_BITS');
  if (nalLengthSize === 3) notes.push('AVCC_NAL_LENGTH_SIZE');

  const spsSets = readSets(record, 6, byteAt(5) & 0x1f, parseSps, faults, 'AVCC_SPS_TRUNCATED');
  const ppsCountAt = spsSets.end;
  const ppsSets =
    ppsCountAt < record.length
      ? readSets(record, ppsCountAt + 1, byteAt(ppsCountAt), parsePps, faults, 'AVCC_PPS_TRUNCATED')
      : { sets: [], end: ppsCountAt };
  if ((byteAt(5) & 0x1f) === 0) notes.push('AVCC_NO_SPS');
  if (ppsSets.sets.length === 0) notes.push('AVCC_NO_PPS');

  const profileIndication = byteAt(1);
  const tail = PROFILES_WITH_TAIL.has(profileIndication) ? readTail(record, ppsSets.end, notes) : undefined;
  const first = spsSets.sets[0];
  if (first) {
    if (first.profileIdc !== profileIndication) notes.push('AVCC_PROFILE_DIFFERS');
    if (first.levelIdc !== byteAt(3)) notes.push('AVCC_LEVEL_DIFFERS');
    if (tail && (tail.chromaFormatIdc !== first.chromaFormatIdc || tail.bitDepthLuma !== first.bitDepthLuma)) {
      notes.push('AVCC_TAIL_DIFFERS');
    }
  }
  return {
    profileIndication,
    profileCompatibility: byteAt(2),
    levelIndication: byteAt(3),
    nalLengthSize,
    sps: spsSets.sets,
    pps: ppsSets.sets,
    tail,
    faults,
    notes,
  };
}

/** Reads `count` parameter sets with 16-bit lengths. An invalid one is omitted and its code noted. */
function readSets<T>(
  record: Uint8Array,
  from: number,
  count: number,
  parse: (nalUnit: Uint8Array) => T,
  faults: string[],
  truncatedCode: string,
): { sets: T[]; end: number } {
  const sets: T[] = [];
  let at = from;
  for (let i = 0; i < count; i++) {
    const size = at + 2 <= record.length ? ((record[at] as number) << 8) | (record[at + 1] as number) : -1;
    if (size < 0 || at + 2 + size > record.length) {
      faults.push(truncatedCode);
      return { sets, end: record.length };
    }
    try {
      sets.push(parse(record.subarray(at + 2, at + 2 + size)));
    } catch (error) {
      faults.push(wireCodeOf(error));
    }
    at += 2 + size;
  }
  return { sets, end: at };
}

function readTail(record: Uint8Array, at: number, notes: string[]): AvccTail | undefined {
  if (at >= record.length) return undefined;
  if (at + 3 > record.length) {
    notes.push('AVCC_TAIL_TRUNCATED');
    return undefined;
  }
  return {
    chromaFormatIdc: (record[at] as number) & 3,
    bitDepthLuma: 8 + ((record[at + 1] as number) & 7),
    bitDepthChroma: 8 + ((record[at + 2] as number) & 7),
  };
}

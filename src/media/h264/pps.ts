/** H.264 picture parameter set (7.3.2.2), up to the fields that slice headers need. */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { unescapeRbsp } from './rbsp.js';

export interface Pps {
  readonly ppsId: number;
  /** The sequence parameter set of pictures with this PPS. */
  readonly spsId: number;
  /** CABAC when true, else CAVLC. */
  readonly entropyCodingMode: boolean;
}

const CLAUSE = 'H.264 7.3.2.2';
/** Upper bound for both IDs and two flags, emulation prevention included. */
const BYTES_NEEDED = 12;

/** Parses a PPS NAL unit, header byte (type 8) included. Throws WireError: PPS_NAL_TYPE, PPS_ID, or the reader's code if the bits end. */
export function parsePps(nalUnit: Uint8Array): Pps {
  const header = nalUnit[0] ?? 0;
  if ((header & 0x1f) !== 8)
    throw new WireError('PPS_NAL_TYPE', `NAL unit type is ${header & 0x1f}, expected 8 (PPS)`, CLAUSE);
  const bits = new BitReader(unescapeRbsp(nalUnit.subarray(0, BYTES_NEEDED), 1), CLAUSE);
  const ppsId = bits.ue();
  const spsId = bits.ue();
  if (ppsId > 255 || spsId > 31) {
    throw new WireError('PPS_ID', `pic_parameter_set_id ${ppsId}, seq_parameter_set_id ${spsId}`, 'H.264 7.4.2.2');
  }
  return { ppsId, spsId, entropyCodingMode: bits.flag() };
}

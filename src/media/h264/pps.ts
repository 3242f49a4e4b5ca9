/** H.264 picture parameter set (7.3.2.2), as far as slice headers need it. */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { unescapeRbsp } from './rbsp.js';

export interface Pps {
  readonly ppsId: number;
  /** The sequence parameter set that pictures with this PPS use. */
  readonly spsId: number;
  /** CABAC when true, else CAVLC. */
  readonly entropyCodingMode: boolean;
}

const CLAUSE = 'H.264 7.3.2.2';
/** Both ids, two flags: no PPS needs more of its bytes here, emulation prevention included. */
const BYTES_NEEDED = 12;

/** Parses a PPS NAL unit, header byte (type 8) included. Throws WireError: PPS_NAL_TYPE, PPS_ID, or the reader's code when the bits end. */
export function parsePps(nalUnit: Uint8Array): Pps {
  const header = nalUnit[0] ?? 0;
  if ((header & 0x1f) !== 8) throw new WireError('PPS_NAL_TYPE', `NAL unit type ${header & 0x1f} is no PPS`, CLAUSE);
  const bits = new BitReader(unescapeRbsp(nalUnit.subarray(0, BYTES_NEEDED), 1), CLAUSE);
  const ppsId = bits.ue();
  const spsId = bits.ue();
  if (ppsId > 255 || spsId > 31) {
    throw new WireError('PPS_ID', `pic_parameter_set_id ${ppsId}, seq_parameter_set_id ${spsId}`, 'H.264 7.4.2.2');
  }
  return { ppsId, spsId, entropyCodingMode: bits.flag() };
}

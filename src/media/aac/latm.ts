/**
 * AAC in LATM/LOAS, as in transport streams (ISO/IEC 14496-3, 1.7): finds the AudioSpecificConfig, which RTMP carries as
 * the sequence header.
 */
import { BitReader } from '../../bytes/bit-reader.js';
import { WireError } from '../../bytes/wire-error.js';

const CLAUSE = 'ISO/IEC 14496-3 1.7.3';
const SYNC_WORD = 0x2b7;
const SYNC_HEADER_BYTES = 3;
/** Bits read for a config whose length is not given; the bits after it there are not an extension of it. */
const MAX_CONFIG_BITS = 64 * 8;

/**
 * The AudioSpecificConfig of the first frame in `bytes` (AudioSyncStream, 1.7.2) that has one, or undefined. Unrelated bits
 * may follow it. Does not throw: unreadable frames are skipped.
 */
export function configOfLoas(bytes: Uint8Array): Uint8Array | undefined {
  for (let at = 0; at + SYNC_HEADER_BYTES < bytes.length; ) {
    const head = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    if (head >>> 13 !== SYNC_WORD) {
      at++;
      continue;
    }
    const from = at + SYNC_HEADER_BYTES;
    at = from + (head & 0x1fff);
    const config = configOfElement(bytes.subarray(from, at));
    if (config !== undefined) return config;
  }
  return undefined;
}

/** AudioMuxElement(1), Table 1.41. */
function configOfElement(element: Uint8Array): Uint8Array | undefined {
  try {
    const bits = new BitReader(element, CLAUSE);
    const usesSameConfig = bits.flag();
    return usesSameConfig ? undefined : readStreamMuxConfig(bits);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** StreamMuxConfig, Table 1.42, up to the config of its first layer. */
function readStreamMuxConfig(bits: BitReader): Uint8Array | undefined {
  const version = bits.u(1);
  const isUnknownVersion = version === 1 && bits.flag(); // audioMuxVersionA
  if (isUnknownVersion) return undefined;
  if (version === 1) readValue(bits); // taraBufferFullness
  bits.skip(1 + 6 + 4 + 3); // allStreamsSameTimeFraming, numSubFrames, numProgram, numLayer
  const length = version === 1 ? readValue(bits) : MAX_CONFIG_BITS;
  return copyBits(bits, Math.min(length, MAX_CONFIG_BITS, bits.bitsLeft));
}

/** LatmGetValue(), Table 1.43. */
function readValue(bits: BitReader): number {
  const bytes = bits.u(2) + 1;
  return bits.u(8 * bytes);
}

function copyBits(bits: BitReader, count: number): Uint8Array {
  const out = new Uint8Array(Math.ceil(count / 8));
  for (let i = 0; i < out.length; i++) {
    const left = Math.min(8, count - 8 * i);
    out[i] = bits.u(left) << (8 - left);
  }
  return out;
}

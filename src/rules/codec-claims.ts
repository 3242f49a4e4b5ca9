/** What encoders call codecs in their metadata. */
import { isNamedCodec } from '../spec/codec-names.js';

const CLAIMS: ReadonlyMap<string, string> = new Map([
  ['avc1', 'avc1'],
  ['avc3', 'avc1'],
  ['avc', 'avc1'],
  ['h264', 'avc1'],
  ['h.264', 'avc1'],
  ['x264', 'avc1'],
  ['hvc1', 'hvc1'],
  ['hev1', 'hvc1'],
  ['hevc', 'hvc1'],
  ['h265', 'hvc1'],
  ['mp4a', 'mp4a'],
  ['aac', 'mp4a'],
  ['aac-lc', 'mp4a'],
  ['mp3', '.mp3'],
]);

/**
 * The codec that a metadata text means, as the media side names it: a FourCC that nobody knows is that number, a number that
 * is none is called an id, and other text stays, as far as it can be shown.
 */
export function codecFromClaim(claim: string): string {
  // "avc1.64001f" (RFC 6381) claims a profile too, which is not compared.
  const known = CLAIMS.get(claim.toLowerCase()) ?? CLAIMS.get(/^\w{4}(?=\.)/.exec(claim)?.[0].toLowerCase() ?? '');
  if (known !== undefined) return known;
  if (isNamedCodec(claim)) return claim;
  if (/^id \d+$/.test(claim)) return `codec ${claim}`;
  const bytes = [...claim].map((letter) => letter.charCodeAt(0));
  if (bytes.length === 4 && bytes.every((byte) => byte <= 0xff)) {
    return `unknown:${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
  return claim.replace(/[^ -~]/g, '?');
}

/** Codec names that encoders write into their metadata. */
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
 * Codec id (as in `media/flv/codecs.ts`) of a metadata claim. An unknown FourCC becomes `unknown:` and its hex value, a
 * numeric id is labeled as one, and other text is kept with its unprintable characters replaced.
 */
export function codecFromClaim(claim: string): string {
  // "avc1.64001f" (RFC 6381): the profile is not compared.
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

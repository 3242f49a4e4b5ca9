/** MP4 and MOV by their first box (ISO/IEC 14496-12, 4.3). */
import { ByteReader } from '../../bytes/byte-reader.js';

/** First boxes of QuickTime files that predate `ftyp`. */
const OLD_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/** Major brands that are not plain MP4, and whether they are of videos. */
const BRANDS: readonly (readonly [RegExp, string, boolean])[] = [
  [/^3g2/, '3g2', true],
  [/^3(gp|gs|ge|gr|gg|gh)/, '3gp', true],
  [/^qt/, 'mov', true],
  [/^M4V/, 'm4v', true],
  [/^(F4V|F4P|f4v)/, 'f4v', true],
  [/^(M4A|M4B|M4P|F4A|F4B)/, 'm4a', false],
  [/^(heic|heix|hevc|hevx|mif1|msf1|avif|avis|crx )/, 'heif', false],
];

/** A segment of a fragmented file (`styp`) is not recognized: it is incomplete by itself. */
export function isIso(head: Uint8Array): boolean {
  const type = textAt(head, 4);
  return type === 'ftyp' || OLD_BOXES.has(type);
}

export function isoContainer(head: Uint8Array): string {
  return textAt(head, 4) !== 'ftyp' || textAt(head, 8) === 'qt  ' ? 'mov' : 'mp4';
}

/** The name of the format by its brand, as the specification of uploads lists it. */
export function isoFormat(head: Uint8Array): { readonly name: string; readonly isVideo: boolean } {
  if (textAt(head, 4) !== 'ftyp') return { name: 'mov', isVideo: true };
  const brand = textAt(head, 8);
  const [, name, isVideo] = BRANDS.find(([pattern]) => pattern.test(brand)) ?? [undefined, 'mp4', true];
  return { name, isVideo };
}

function textAt(head: Uint8Array, at: number): string {
  return head.length < at + 4 ? '' : new ByteReader(head, '', at).latin1(4);
}

/**
 * Which container a file is, by its first bytes. FFmpeg is then forced to the demuxer named here and never guesses: a
 * playlist, a concat script or an image pattern inside a file named .mp4 is data, not something to open.
 * The demuxers are those of the published table (`DEMUXERS_OF_CONTAINER`), and Matroska's for WebM, so that it can be named.
 */

export interface Sniffed {
  readonly container: string;
  /** Undefined: not opened. */
  readonly demuxer: string | undefined;
  readonly docType?: string;
}

export const SNIFF_BYTES = 64 * 1024;

export function sniff(head: Uint8Array): Sniffed {
  return (
    isoMedia(head) ??
    matroska(head) ??
    bySignature(head) ??
    transportStream(head) ??
    byStartCode(head) ??
    named('unknown')
  );
}

const opened = (container: string, demuxer: string): Sniffed => ({ container, demuxer });
const named = (container: string): Sniffed => ({ container, demuxer: undefined });

const ascii = (head: Uint8Array, at: number, size: number): string =>
  String.fromCharCode(...head.subarray(at, Math.min(head.length, at + size)));

/** Major brands (ISO/IEC 14496-12, 4.3) that are not plain MP4. */
const BRANDS: readonly (readonly [RegExp, string, boolean])[] = [
  [/^3g2/, '3g2', true],
  [/^3(gp|gs|ge|gr|gg|gh)/, '3gp', true],
  [/^qt/, 'mov', true],
  [/^M4V/, 'm4v', true],
  [/^(F4V|F4P|f4v)/, 'f4v', true],
  [/^(M4A|M4B|M4P|F4A|F4B)/, 'm4a', false],
  [/^(heic|heix|hevc|hevx|mif1|msf1|avif|avis|crx )/, 'heif', false],
];

/** First boxes of QuickTime files from before `ftyp`. */
const OLD_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

function isoMedia(head: Uint8Array): Sniffed | undefined {
  const box = ascii(head, 4, 4);
  if (box === 'ftyp') {
    const brand = ascii(head, 8, 4);
    const row = BRANDS.find(([pattern]) => pattern.test(brand));
    if (row === undefined) return opened('mp4', 'mov');
    return row[2] ? opened(row[1], 'mov') : named(row[1]);
  }
  return OLD_BOXES.has(box) ? opened('mov', 'mov') : undefined;
}

/** EBML header (RFC 8794, 11.2): the DocType says which of the two. */
function matroska(head: Uint8Array): Sniffed | undefined {
  if (!starts(head, 0x1a, 0x45, 0xdf, 0xa3)) return undefined;
  for (let at = 4; at < Math.min(head.length - 3, 256); at++) {
    if (head[at] !== 0x42 || head[at + 1] !== 0x82) continue;
    const size = (head[at + 2] ?? 0) & 0x7f;
    const docType = ascii(head, at + 3, Math.min(size, 16)).split('\0', 1)[0];
    if (docType === 'webm') return { container: 'webm', demuxer: 'matroska', docType };
    if (docType === 'matroska') return { container: 'mkv', demuxer: 'matroska', docType };
  }
  return named('ebml');
}

const ASF_HEADER = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11];

function bySignature(head: Uint8Array): Sniffed | undefined {
  const four = ascii(head, 0, 4);
  if (four === 'RIFF' || four === 'RIFX') return riff(ascii(head, 8, 4));
  if (starts(head, ...ASF_HEADER)) return opened('asf', 'asf');
  if (four === 'FLV\x01') return opened('flv', 'flv');
  if (/^GIF8[79]a/.test(ascii(head, 0, 6))) return opened('gif', 'gif');
  if (four === 'OggS') return opened('ogg', 'ogg');
  if (four === 'NSVf' || four === 'NSVs') return opened('nsv', 'nsv');
  // Header block of the first DIF sequence (IEC 61834-2, figure 66): type 0, sequence 0, APT free.
  if (head[0] === 0x1f && head[1] === 0x07 && head[2] === 0x00) return opened('dv', 'dv');
  return foreign(head);
}

function riff(form: string): Sniffed {
  if (form === 'AVI ') return opened('avi', 'avi');
  // The sectors of a Video CD: an MPEG program stream between sector headers.
  if (form === 'CDXA') return opened('dat', 'mpeg');
  return named(form === 'WAVE' ? 'wav' : 'riff');
}

/** Named so that a refusal can say what the file is. None of them is opened. */
const FOREIGN_BYTES: readonly (readonly [string, string])[] = [
  ['fffb', 'mp3'],
  ['fff3', 'mp3'],
  ['fff2', 'mp3'],
  ['fffa', 'mp3'],
  ['fff1', 'aac'],
  ['fff9', 'aac'],
  ['89504e47', 'png'],
  ['ffd8ff', 'jpeg'],
  ['060e2b34', 'mxf'],
  ['504b0304', 'zip'],
  ['0000000167', 'h264'],
  ['0000000127', 'h264'],
  ['0000000109', 'h264'],
  ['00000167', 'h264'],
];

const FOREIGN_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*#EXTM3U/, 'hls'],
  [/^\s*ffconcat version/, 'concat'],
  [/^\s*<(\?xml|MPD|smil|SmoothStreaming)/, 'xml'],
  [/^\s*<(!doctype|html)/i, 'html'],
  [/^ID3/, 'mp3'],
  [/^fLaC/, 'flac'],
  [/^\.RMF/, 'rm'],
  [/^%PDF/, 'pdf'],
  [/^DKIF/, 'ivf'],
];

function foreign(head: Uint8Array): Sniffed | undefined {
  const hex = Buffer.from(head.subarray(0, 8)).toString('hex');
  // A byte order mark may stand before text.
  const text = ascii(head, 0, 64).replace(/^\xef\xbb\xbf/, '');
  const row =
    FOREIGN_BYTES.find(([start]) => hex.startsWith(start)) ?? FOREIGN_TEXTS.find(([pattern]) => pattern.test(text));
  return row && named(row[1]);
}

/** ISO/IEC 13818-1, 2.4.3.2: a sync byte every 188 bytes; 192 with the time stamps of camcorders; 204 with error correction. */
function transportStream(head: Uint8Array): Sniffed | undefined {
  for (const [size, container] of [
    [188, 'mpegts'],
    [192, 'm2ts'],
    [204, 'mpegts'],
  ] as const) {
    for (let at = 0; at < size; at++) if (syncs(head, at, size)) return opened(container, 'mpegts');
  }
  return undefined;
}

/** Five packets, or all there are in a short file, and no fewer than two. */
function syncs(head: Uint8Array, at: number, size: number): boolean {
  let found = 0;
  for (let position = at; position < head.length && found < 5; position += size) {
    if (head[position] !== 0x47) return false;
    found++;
  }
  return found >= 2;
}

/** MPEG start codes (ISO/IEC 13818-1, table 2-33; 13818-2, table 6-1; 14496-2, table 6-3). */
function byStartCode(head: Uint8Array): Sniffed | undefined {
  const limit = Math.min(head.length - 4, 4096);
  for (let at = 0; at < limit; at++) {
    if (head[at] !== 0 || head[at + 1] !== 0 || head[at + 2] !== 1) continue;
    switch (head[at + 3]) {
      case 0xba:
        return opened('mpeg', 'mpeg');
      case 0xb3:
        return at === 0 ? opened('mpegvideo', 'mpegvideo') : undefined;
      case 0xb0:
        return at === 0 ? opened('mpeg4-video', 'm4v') : undefined;
      default:
        if (at === 0) return undefined;
    }
  }
  return undefined;
}

function starts(head: Uint8Array, ...bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => head[i] === byte);
}

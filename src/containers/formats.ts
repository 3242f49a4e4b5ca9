/** Formats of files by their first bytes, never by their names: those that are read, and those that are only named in a refusal. */
import type { FileFacts } from '../facts/probed-file.js';
import { isIso, isoFormat } from './iso/recognize.js';
import { isEbml, matroskaContainer } from './matroska/recognize.js';
import { layoutOf, TIMED_BYTES } from './ts/packets.js';

export interface Format {
  readonly container: string;
  /** Demuxer of ffmpeg. Undefined: the format is not opened. */
  readonly demuxer: string | undefined;
  readonly docType?: string;
}

/** Bytes that recognition may need. */
export const SNIFF_BYTES = 64 * 1024;

const opened = (container: string, demuxer: string): Format => ({ container, demuxer });
const named = (container: string): Format => ({ container, demuxer: undefined });
const UNKNOWN = named('unknown');

/** Undefined: the first bytes are not those of the format. */
type Recognize = (head: Uint8Array) => Format | undefined;

/** By the name of the module that checks for truncation, in the order of how distinctive the first bytes are. */
const FORMATS = {
  iso: (head) => (isIso(head) || latin1(head, 4, 4) === SEGMENT_BOX ? isoFormatOf(head) : undefined),
  matroska: matroskaFormat,
  riff: riffFormat,
  // Half of the GUID is unambiguous, and all that a damaged file may have left.
  asf: (head) => (hex(head, 0, 8) === '3026b2758e66cf11' ? opened('asf', 'asf') : undefined),
  ogg: (head) => (latin1(head, 0, 4) === 'OggS' ? opened('ogg', 'ogg') : undefined),
  gif: (head) => (/^GIF8[79]a$/.test(latin1(head, 0, 6)) ? opened('gif', 'gif') : undefined),
  nsv: (head) => (['NSVf', 'NSVs'].includes(latin1(head, 0, 4)) ? opened('nsv', 'nsv') : undefined),
  // Header block of the first DIF sequence (IEC 61834-2, figure 66): type 0, sequence 0, APT free.
  dv: (head) => (head[0] === 0x1f && head[1] === 0x07 && head[2] === 0 ? opened('dv', 'dv') : undefined),
  adts: adtsFormat,
  signature: signatureFormat,
  ts: (head) => {
    const layout = layoutOf(head);
    return layout === undefined ? undefined : opened(layout.packetBytes === TIMED_BYTES ? 'm2ts' : 'mpegts', 'mpegts');
  },
  ps: programFormat,
} as const satisfies Record<string, Recognize>;

export type Family = keyof typeof FORMATS;

/** The format of a file by its first `SNIFF_BYTES`, and its family; undefined: none is known. */
export function recognized(head: Uint8Array): { readonly family: Family; readonly format: Format } | undefined {
  for (const [family, recognize] of Object.entries(FORMATS)) {
    const format = recognize(head);
    if (format !== undefined) return { family: family as Family, format };
  }
  return undefined;
}

/** The format of a file, from its first `SNIFF_BYTES`. */
export function sniff(head: Uint8Array): Format {
  return recognized(head)?.format ?? UNKNOWN;
}

/** Facts of a file that is not opened. */
export function unopenedFacts({ container, docType }: Format, sizeBytes: number): FileFacts {
  if (container === 'unknown')
    return { formatNames: [], fault: sizeBytes === 0 ? 'the file is empty' : 'unknown container format' };
  return { formatNames: [container], ...(docType === undefined ? {} : { docType }) };
}

/** A segment of a fragmented file, incomplete by itself: checked where ffprobe opens it, but never forced on ffmpeg. */
const SEGMENT_BOX = 'styp';

function isoFormatOf(head: Uint8Array): Format {
  if (latin1(head, 4, 4) === SEGMENT_BOX) return UNKNOWN;
  const { name, isVideo } = isoFormat(head);
  return isVideo ? opened(name, 'mov') : named(name);
}

/** The DocType distinguishes WebM from Matroska (RFC 8794, 11.2). */
function matroskaFormat(head: Uint8Array): Format | undefined {
  if (!isEbml(head)) return undefined;
  const docType = matroskaContainer(head);
  if (docType === undefined) return named('ebml');
  return { container: docType === 'webm' ? 'webm' : 'mkv', demuxer: 'matroska', docType };
}

function riffFormat(head: Uint8Array): Format | undefined {
  if (!/^RIF[FX]$/.test(latin1(head, 0, 4))) return undefined;
  const form = latin1(head, 8, 4);
  if (form === 'AVI ') return opened('avi', 'avi');
  // Video CD sectors: an MPEG program stream with sector headers.
  if (form === 'CDXA') return opened('dat', 'mpeg');
  return named(form === 'WAVE' ? 'wav' : 'riff');
}

/** Audio-only files are named, not opened. Frames with a CRC are not recognized (ISO/IEC 14496-3, 1.A.2.2). */
function adtsFormat(head: Uint8Array): Format | undefined {
  const [first = 0, second = 0] = head;
  if (first !== 0xff || head.length < 2) return undefined;
  if (second === 0xf1 || second === 0xf9) return named('aac');
  if (head.length < 7 || (second & 0xf6) !== 0xf0) return undefined;
  const length = (((head[3] ?? 0) & 3) << 11) | ((head[4] ?? 0) << 3) | ((head[5] ?? 0) >> 5);
  return length >= 7 ? UNKNOWN : undefined;
}

/** Foreign formats, named so that the refusal can say what the file is. None of them is opened. */
const FOREIGN_BYTES: readonly (readonly [string, string])[] = [
  ['fffb', 'mp3'],
  ['fff3', 'mp3'],
  ['fff2', 'mp3'],
  ['fffa', 'mp3'],
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

/** FLV, and formats whose truncation cannot be detected. */
function signatureFormat(head: Uint8Array): Format | undefined {
  if (latin1(head, 0, 4) === 'FLV\x01') return opened('flv', 'flv');
  const start = hex(head, 0, 8);
  // Text may begin with a byte order mark.
  const text = latin1(head, 0, 64).replace(/^\xef\xbb\xbf/, '');
  const row =
    FOREIGN_BYTES.find(([bytes]) => start.startsWith(bytes)) ?? FOREIGN_TEXTS.find(([pattern]) => pattern.test(text));
  return row && named(row[1]);
}

/** The first pack may be preceded by this much other data. */
const PACK_WITHIN = 4096;
const PACK = 0xba;

/** MPEG start codes (ISO/IEC 13818-1, table 2-33; 13818-2, table 6-1; 14496-2, table 6-3). */
function programFormat(head: Uint8Array): Format | undefined {
  const limit = Math.min(head.length - 4, PACK_WITHIN);
  for (let at = 0; at < limit; at++) {
    if (head[at] !== 0 || head[at + 1] !== 0 || head[at + 2] !== 1) continue;
    switch (head[at + 3]) {
      case PACK:
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

function latin1(bytes: Uint8Array, at: number, size: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + size));
}

function hex(bytes: Uint8Array, at: number, size: number): string {
  return Array.from(bytes.subarray(at, at + size), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

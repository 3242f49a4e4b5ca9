/** Tracks of a Matroska file (RFC 9559, 5.1.4): codec, settings, how their frames are stored. */

import { detailsOf } from '../source/codec-details.js';
import { TRACKS_MAX } from '../source/limits.js';
import type { SourceTrack } from '../source/media-file.js';
import { childrenOf, float, ID, unsigned } from './elements.js';

export interface MatroskaTrack {
  readonly number: number;
  readonly track: SourceTrack;
  /** Nanoseconds of a frame; 0: unknown. */
  readonly frameNs: number;
  /** Subtracted from the times of its frames, in ticks. */
  readonly delay: number;
  /** Left out at the start of each frame. */
  readonly prefix: Uint8Array;
}

/** Names of codecs by FFmpeg (codec mappings of Matroska). */
const CODECS: Readonly<Record<string, string>> = {
  'V_MPEG4/ISO/AVC': 'h264',
  'V_MPEGH/ISO/HEVC': 'hevc',
  'V_MPEGI/ISO/VVC': 'vvc',
  V_AV1: 'av1',
  V_VP8: 'vp8',
  V_VP9: 'vp9',
  'V_MPEG4/ISO/SP': 'mpeg4',
  'V_MPEG4/ISO/ASP': 'mpeg4',
  'V_MPEG4/ISO/AP': 'mpeg4',
  V_MPEG1: 'mpeg1video',
  V_MPEG2: 'mpeg2video',
  V_MJPEG: 'mjpeg',
  V_PRORES: 'prores',
  V_THEORA: 'theora',
  V_FFV1: 'ffv1',
  V_UNCOMPRESSED: 'rawvideo',
  A_OPUS: 'opus',
  A_VORBIS: 'vorbis',
  A_FLAC: 'flac',
  A_ALAC: 'alac',
  'A_MPEG/L1': 'mp1',
  'A_MPEG/L2': 'mp2',
  'A_MPEG/L3': 'mp3',
  A_AC3: 'ac3',
  A_EAC3: 'eac3',
  A_DTS: 'dts',
  A_TRUEHD: 'truehd',
  A_WAVPACK4: 'wavpack',
};
/** Codecs of `BITMAPINFOHEADER`, and of `WAVEFORMATEX`. */
const FOURCCS: Readonly<Record<string, string>> = {
  FLV1: 'flv1',
  H264: 'h264',
  AVC1: 'h264',
  XVID: 'mpeg4',
  DIVX: 'mpeg4',
  DX50: 'mpeg4',
  FMP4: 'mpeg4',
  MP4V: 'mpeg4',
  MJPG: 'mjpeg',
  MPG2: 'mpeg2video',
  WMV2: 'wmv2',
  WMV3: 'wmv3',
  VP6F: 'vp6f',
};
const WAVE_TAGS: Readonly<Record<number, string>> = {
  2: 'adpcm_ms',
  6: 'pcm_alaw',
  7: 'pcm_mulaw',
  17: 'adpcm_ima_wav',
  80: 'mp2',
  85: 'mp3',
  8192: 'ac3',
  8193: 'dts',
  41225: 'speex',
};
/** Types of tracks that FFmpeg counts: video, audio, subtitles, metadata. */
const COUNTED: ReadonlySet<number> = new Set([1, 2, 17, 33]);
const KINDS: Readonly<Record<number, 'video' | 'audio'>> = { 1: 'video', 2: 'audio' };
const ENCRYPTED = 1;
const HEADER_STRIPPED = 3;
const NS = 1_000_000_000;

/** `content` of the element Tracks. `scale`: nanoseconds of a tick. */
export function readTracks(content: Uint8Array, scale: number): MatroskaTrack[] {
  const found: MatroskaTrack[] = [];
  let index = 0;
  for (const entry of childrenOf(content)
    .filter(({ id }) => id === ID.trackEntry)
    .slice(0, TRACKS_MAX)) {
    const fields = new Map(childrenOf(entry.content).map(({ id, content: value }) => [id, value]));
    const type = unsigned(fields.get(ID.trackType) ?? new Uint8Array(0));
    if (!COUNTED.has(type)) continue;
    const kind = KINDS[type];
    if (kind !== undefined) found.push(readTrack(fields, index, kind, scale));
    index++;
  }
  return found;
}

type Fields = ReadonlyMap<number, Uint8Array>;

function readTrack(fields: Fields, index: number, kind: 'video' | 'audio', scale: number): MatroskaTrack {
  const number = (id: number, otherwise = 0): number => {
    const value = fields.get(id);
    return value === undefined ? otherwise : unsigned(value);
  };
  const id = textOf(fields.get(ID.codecId));
  const own = fields.get(ID.codecPrivate)?.slice();
  const audio = new Map(childrenOf(fields.get(ID.audio) ?? new Uint8Array(0)).map((each) => [each.id, each.content]));
  const rate = float(audio.get(ID.outputSamplingFrequency) ?? audio.get(ID.samplingFrequency) ?? new Uint8Array(0));
  const channels = unsigned(audio.get(ID.channels) ?? Uint8Array.of(1));
  const video = new Map(childrenOf(fields.get(ID.video) ?? new Uint8Array(0)).map((each) => [each.id, each.content]));
  const width = unsigned(video.get(ID.pixelWidth) ?? new Uint8Array(0));
  const height = unsigned(video.get(ID.pixelHeight) ?? new Uint8Array(0));
  const bits = unsigned(audio.get(ID.bitDepth) ?? new Uint8Array(0));
  const { protection, prefix } = encodingOf(fields.get(ID.contentEncodings));
  const plain = codecOf(id, bits, own);
  const codec = `${protection}${plain}`;
  const isKnown = protection === '';
  const settings =
    plain === 'aac'
      ? (own ?? olderAacConfig(id, float(audio.get(ID.samplingFrequency) ?? new Uint8Array(0)), rate, channels))
      : plain === 'h264'
        ? own
        : undefined;
  return {
    number: number(ID.trackNumber),
    track: {
      index,
      kind,
      codec,
      profile: '',
      details: isKnown ? detailsOf(codec, kind === 'audio' ? rate : 0, kind === 'audio' ? channels : 0) : '',
      ticksPerSecond: NS / scale,
      settings: isKnown ? settings : undefined,
      size: width > 0 && height > 0 ? { width, height } : undefined,
      sampleAspect: kind === 'video' ? aspectOf(video, width, height) : undefined,
      sound: kind === 'audio' ? { rate, channels } : undefined,
    },
    frameNs: number(ID.defaultDuration),
    delay: Math.round(number(ID.codecDelay) / scale),
    prefix,
  };
}

/** The unit of the size of the presentation that says nothing (5.1.4.1.28.14). */
const UNKNOWN_UNIT = 4;

/** Width over height of a sample: the size of the presentation, which is that of the picture where it is left out. */
function aspectOf(video: Fields, width: number, height: number): number | undefined {
  const number = (id: number, otherwise: number): number => {
    const value = video.get(id);
    return value === undefined ? otherwise : unsigned(value);
  };
  const [wide, high] = [number(ID.displayWidth, width), number(ID.displayHeight, height)];
  if (number(ID.displayUnit, 0) >= UNKNOWN_UNIT || wide <= 0 || high <= 0 || width <= 0 || height <= 0)
    return undefined;
  return (height * wide) / (width * high);
}

function codecOf(id: string, bits: number, settings: Uint8Array | undefined): string {
  if (id.startsWith('A_AAC')) return 'aac';
  if (id === 'A_PCM/INT/LIT' || id === 'A_PCM/INT/BIG') {
    return bits === 8 ? 'pcm_u8' : `pcm_s${bits}${id.endsWith('LIT') ? 'le' : 'be'}`;
  }
  if (id === 'A_PCM/FLOAT/IEEE') return `pcm_f${bits}le`;
  if (id === 'V_MS/VFW/FOURCC') return FOURCCS[textOf(settings?.subarray(16, 20)).toUpperCase()] ?? 'unknown';
  if (id === 'A_MS/ACM') return waveCodec((settings?.[0] ?? 0) | ((settings?.[1] ?? 0) << 8), settings?.[14] ?? 0);
  return CODECS[id] ?? 'unknown';
}

function waveCodec(tag: number, bits: number): string {
  if (tag === 1) return bits === 8 ? 'pcm_u8' : `pcm_s${bits}le`;
  return tag === 3 ? `pcm_f${bits}le` : (WAVE_TAGS[tag] ?? 'unknown');
}

function textOf(content: Uint8Array = new Uint8Array(0)): string {
  let text = '';
  for (const byte of content.subarray(0, 64)) {
    if (byte === 0) break;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Bytes that each frame has in front are stored once (compression by header stripping), or nothing can be read. */
function encodingOf(content: Uint8Array | undefined): { readonly protection: string; readonly prefix: Uint8Array } {
  const prefix = new Uint8Array(0);
  if (content === undefined) return { protection: '', prefix };
  const encodings = childrenOf(content).filter(({ id }) => id === ID.contentEncoding);
  const each = encodings.map(({ content: one }) => new Map(childrenOf(one).map((field) => [field.id, field.content])));
  if (each.some((fields) => unsigned(fields.get(ID.contentEncodingType) ?? new Uint8Array(0)) === ENCRYPTED)) {
    return { protection: 'encrypted ', prefix };
  }
  const [compression] = each.flatMap((fields) => fields.get(ID.contentCompression) ?? []);
  if (compression === undefined) return { protection: '', prefix };
  const fields = new Map(childrenOf(compression).map((field) => [field.id, field.content]));
  if (unsigned(fields.get(ID.contentCompAlgo) ?? new Uint8Array(0)) !== HEADER_STRIPPED)
    return { protection: 'compressed ', prefix };
  return { protection: '', prefix: (fields.get(ID.contentCompSettings) ?? prefix).slice(0, MAX_PREFIX_BYTES) };
}

/** Real files have one to four. */
const MAX_PREFIX_BYTES = 64;
const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];

/** The configuration that files without one give by the name of the codec: `A_AAC/MPEG4/LC/SBR`. */
function olderAacConfig(id: string, rate: number, outputRate: number, channels: number): Uint8Array | undefined {
  const type = id.includes('/MAIN') ? 1 : id.includes('/SSR') ? 3 : id.includes('/LC') ? 2 : 0;
  const index = RATES.indexOf(rate);
  if (type === 0 || index < 0) return undefined;
  const core = [(type << 3) | (index >> 1), ((index & 1) << 7) | (channels << 3)];
  if (!id.includes('/SBR')) return Uint8Array.from(core);
  // Backward compatible signaling: 0x2b7, object type 5, present, rate.
  const output = Math.max(0, RATES.indexOf(outputRate > rate ? outputRate : 2 * rate));
  return Uint8Array.from([...core, 0x56, 0xe5, 0x80 | (output << 3)]);
}

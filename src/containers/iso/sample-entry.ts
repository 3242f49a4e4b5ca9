/** Sample entries of MP4 and MOV (ISO/IEC 14496-12, 8.5.2; QuickTime File Format, sound sample descriptions): codec and settings of a track. */
import { ByteReader } from '../../bytes/byte-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { detailsOf } from '../source/codec-details.js';

export interface SampleEntry {
  /** Name of FFmpeg, or what says that the track is encrypted. */
  readonly codec: string;
  readonly settings: Uint8Array | undefined;
  readonly size?: { readonly width: number; readonly height: number };
  /** Width over height of a sample (12.1.4, `pasp`). */
  readonly sampleAspect?: number | undefined;
  /** Sample rate and channels of a sound track. */
  readonly sound?: { readonly rate: number; readonly channels: number };
  readonly details: string;
  /** Bytes of one sample of all channels, for sound that is not compressed. */
  readonly sampleBytes?: number | undefined;
}

const CLAUSE = 'ISO/IEC 14496-12, 8.5.2';
/** Fields before the boxes of an entry. */
const VIDEO_FIELDS = 70;
const SIZE_AT = 16;
const AUDIO_FIELDS = 20;
/** Further fields of versions 1 and 2 of QuickTime. */
const AUDIO_FIELDS_MORE: Readonly<Record<number, number>> = { 1: 16, 2: 36 };

const VIDEO: Readonly<Record<string, string>> = {
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  vvc1: 'vvc',
  vvi1: 'vvc',
  av01: 'av1',
  vp08: 'vp8',
  vp09: 'vp9',
  jpeg: 'mjpeg',
  mjpa: 'mjpeg',
  mjpb: 'mjpegb',
  s263: 'h263',
  h263: 'h263',
  'dvc ': 'dvvideo',
  dvcp: 'dvvideo',
  apch: 'prores',
  apcn: 'prores',
  apcs: 'prores',
  apco: 'prores',
  ap4h: 'prores',
  ap4x: 'prores',
  AVdn: 'dnxhd',
  AVdh: 'dnxhd',
  'png ': 'png',
  'raw ': 'rawvideo',
};
const AUDIO: Readonly<Record<string, string>> = {
  Opus: 'opus',
  fLaC: 'flac',
  alac: 'alac',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
  '.mp3': 'mp3',
  ulaw: 'pcm_mulaw',
  alaw: 'pcm_alaw',
  samr: 'amr_nb',
  sawb: 'amr_wb',
  ima4: 'adpcm_ima_qt',
};
/** Sample formats of QuickTime by their code and the bits of a sample. */
const PCM: Readonly<Record<string, string>> = {
  sowt8: 'pcm_s8',
  sowt16: 'pcm_s16le',
  twos8: 'pcm_s8',
  twos16: 'pcm_s16be',
  'raw 8': 'pcm_u8',
  'raw 16': 'pcm_s16be',
};
const PCM_WIDE: Readonly<Record<string, string>> = {
  in24: 'pcm_s24',
  in32: 'pcm_s32',
  fl32: 'pcm_f32',
  fl64: 'pcm_f64',
};

/** Object types of `esds` (ISO/IEC 14496-1, 7.2.6.6, and its registration authority). */
const OBJECT_TYPES: Readonly<Record<number, string>> = {
  32: 'mpeg4',
  33: 'h264',
  35: 'hevc',
  64: 'aac',
  96: 'mpeg2video',
  97: 'mpeg2video',
  98: 'mpeg2video',
  99: 'mpeg2video',
  100: 'mpeg2video',
  101: 'mpeg2video',
  102: 'aac',
  103: 'aac',
  104: 'aac',
  105: 'mp3',
  106: 'mpeg1video',
  107: 'mp3',
  108: 'mjpeg',
  165: 'ac3',
  166: 'eac3',
  169: 'dts',
  173: 'opus',
  221: 'vorbis',
};

/** Reads the entry `bytes`, without its size field: the format first. @throws WireError */
export function readSampleEntry(kind: 'video' | 'audio', bytes: Uint8Array): SampleEntry {
  const reader = new ByteReader(bytes, CLAUSE);
  const format = reader.latin1(4);
  // Reserved, and the number of the data reference.
  reader.skip(8);
  if (kind === 'video') {
    reader.skip(SIZE_AT);
    const [width, height] = [reader.u16(), reader.u16()];
    reader.skip(VIDEO_FIELDS - SIZE_AT - 4);
    const boxes = boxesOf(reader);
    const entry = {
      ...named(format, VIDEO[format], boxes, (codec) => detailsOf(codec, 0, 0)),
      sampleAspect: aspectOf(boxes.get('pasp')),
    };
    return width > 0 && height > 0 ? { ...entry, size: { width, height } } : entry;
  }
  const version = reader.u16();
  reader.skip(6);
  const channels = reader.u16();
  const bits = reader.u16();
  reader.skip(4);
  const rate = reader.u16();
  reader.skip(AUDIO_FIELDS - 18);
  const more = AUDIO_FIELDS_MORE[version] ?? 0;
  let [shownRate, shownChannels, shownBits] = [rate, channels, bits];
  // Version 2 has a size, the rate as a float, the channels, a constant, the bits of a channel, flags.
  let formatFlags = 0;
  if (version === 2) {
    reader.skip(4);
    shownRate = reader.f64();
    shownChannels = reader.u32();
    reader.skip(4);
    shownBits = reader.u32();
    formatFlags = reader.u32();
    reader.skip(more - 28);
  } else reader.skip(more);
  const boxes = boxesOf(reader);
  const codec = AUDIO[format] ?? pcmOf(format, shownBits, formatFlags, boxes);
  const entry = named(format, codec, boxes, (name) => detailsOf(name, shownRate, shownChannels));
  const width = /^pcm_.*?(8|16|24|32|64)|^pcm_(?:mu|a)law$/.exec(entry.codec);
  const sampleBytes = width === null ? undefined : (Number(width[1] ?? 8) / 8) * shownChannels;
  return { ...entry, sampleBytes, sound: { rate: shownRate, channels: shownChannels } };
}

function aspectOf(pasp: Uint8Array | undefined): number | undefined {
  if (pasp === undefined || pasp.length < 8) return undefined;
  const reader = new ByteReader(pasp, CLAUSE);
  const [wide, high] = [reader.u32(), reader.u32()];
  return wide > 0 && high > 0 ? wide / high : undefined;
}

function pcmOf(format: string, bits: number, flags: number, boxes: Boxes): string | undefined {
  const wide = PCM_WIDE[format];
  // The byte order of QuickTime is big-endian unless `enda` says otherwise.
  const enda = boxes.get('enda');
  if (wide !== undefined) return `${wide}${enda?.[1] === 1 ? 'le' : 'be'}`;
  if (format === 'lpcm') {
    const order = (flags & 2) !== 0 ? 'be' : 'le';
    return bits === 8 ? 'pcm_s8' : `pcm_${(flags & 1) !== 0 ? 'f' : (flags & 4) !== 0 ? 's' : 'u'}${bits}${order}`;
  }
  if (format === 'ipcm' || format === 'fpcm') {
    const config = boxes.get('pcmC');
    const isLittle = ((config?.[4] ?? 0) & 1) === 1;
    return `pcm_${format === 'fpcm' ? 'f' : 's'}${config?.[5] ?? bits}${isLittle ? 'le' : 'be'}`;
  }
  return PCM[`${format}${bits}`];
}

function named(
  format: string,
  known: string | undefined,
  boxes: Boxes,
  details: (codec: string) => string,
): SampleEntry {
  const original = boxes.get('frma');
  const esds = boxes.get('esds');
  const streamed = esds === undefined ? undefined : readEsds(esds);
  if (format === 'encv' || format === 'enca') {
    const inner = original === undefined ? '' : new ByteReader(original, CLAUSE).latin1(Math.min(4, original.length));
    const codec = VIDEO[inner] ?? AUDIO[inner] ?? streamed?.codec ?? 'unknown';
    return { codec: `${format} (encrypted ${codec})`, settings: undefined, details: '' };
  }
  const codec = known ?? streamed?.codec ?? 'unknown';
  const settings = codec === 'h264' ? boxes.get('avcC') : codec === 'aac' ? streamed?.settings : undefined;
  return { codec, settings, details: details(codec) };
}

type Boxes = ReadonlyMap<string, Uint8Array>;

/** Boxes whose content is boxes in turn. */
const NESTED: ReadonlySet<string> = new Set(['wave', 'sinf']);

/** The boxes behind the fields of an entry, by type; those of a nested box too. Ends where no box follows. */
function boxesOf(reader: ByteReader): Boxes {
  const found = new Map<string, Uint8Array>();
  collect(reader, found);
  return found;
}

function collect(reader: ByteReader, found: Map<string, Uint8Array>): void {
  while (reader.remaining >= 8) {
    const size = reader.u32();
    const type = reader.latin1(4);
    if (size < 8 || size - 8 > reader.remaining) return;
    const content = reader.bytes(size - 8);
    if (NESTED.has(type)) collect(new ByteReader(content, CLAUSE), found);
    else if (!found.has(type)) found.set(type, content);
  }
}

const ES_DESCRIPTOR = 3;
const DECODER_CONFIG = 4;
const DECODER_SPECIFIC = 5;

/** ES_Descriptor (ISO/IEC 14496-1, 7.2.6.5). Undefined when it holds no decoder configuration. */
function readEsds(box: Uint8Array): { codec: string; settings: Uint8Array | undefined } | undefined {
  try {
    const reader = new ByteReader(box, 'ISO/IEC 14496-1, 7.2.6');
    reader.skip(4);
    let tag = reader.u8();
    descriptorSize(reader);
    if (tag === ES_DESCRIPTOR) {
      reader.skip(2);
      const flags = reader.u8();
      if ((flags & 0x80) !== 0) reader.skip(2);
      if ((flags & 0x40) !== 0) reader.skip(reader.u8());
      if ((flags & 0x20) !== 0) reader.skip(2);
      tag = reader.u8();
      descriptorSize(reader);
    }
    if (tag !== DECODER_CONFIG) return undefined;
    const codec = OBJECT_TYPES[reader.u8()] ?? 'unknown';
    // Stream type, buffer size, largest and mean bitrate.
    reader.skip(12);
    if (reader.remaining < 2 || reader.u8() !== DECODER_SPECIFIC) return { codec, settings: undefined };
    const size = Math.min(descriptorSize(reader), reader.remaining);
    return { codec, settings: reader.bytes(size).slice() };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Seven bits in each byte, the highest bit: another one follows. */
function descriptorSize(reader: ByteReader): number {
  let size = 0;
  for (let bytes = 0; bytes < 4; bytes++) {
    const byte = reader.u8();
    size = size * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) break;
  }
  return size;
}

/**
 * Names of codecs. A codec has one name however it is carried: the FourCC of Enhanced RTMP where there is one
 * ('avc1' also for FLV's codec id 7, 'mp4a' for sound format 10), else a name for FLV's older codecs.
 */
import type { CodecName } from '../packet.js';

export const AVC = 'avc1';
export const HEVC = 'hvc1';
export const AAC = 'mp4a';

/** FLV E.4.3.1, CodecID; 8, 9, 12 and 13 are unofficial and in use. */
const VIDEO_BY_ID: readonly (string | undefined)[] = [
  undefined,
  'jpeg',
  'sorenson-h263',
  'screen-video',
  'vp6',
  'vp6-alpha',
  'screen-video-2',
  AVC,
  'h263',
  'mpeg4',
  undefined,
  undefined,
  HEVC,
  'av01',
  undefined,
  undefined,
];

/** FLV E.4.2.1, SoundFormat; 9 is the mark of the enhanced header, 13 is unofficial and in use for Opus. */
const AUDIO_BY_FORMAT: readonly (string | undefined)[] = [
  'pcm',
  'adpcm',
  '.mp3',
  'pcm-little-endian',
  'nellymoser',
  'nellymoser',
  'nellymoser',
  'g711-alaw',
  'g711-mulaw',
  undefined,
  AAC,
  'speex',
  undefined,
  'Opus',
  '.mp3',
  'device-specific',
];

const FOURCCS = ['avc1', 'hvc1', 'vvc1', 'av01', 'vp08', 'vp09', 'mp4a', '.mp3', 'Opus', 'fLaC', 'ac-3', 'ec-3'];

function fourCcNumber(text: string): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}

const NAME_BY_FOURCC: ReadonlyMap<number, CodecName> = new Map(FOURCCS.map((text) => [fourCcNumber(text), text]));

function unknown(value: number): CodecName {
  return `unknown:${value.toString(16).padStart(8, '0')}`;
}

const UNKNOWN_IDS = Array.from({ length: 16 }, (_, id) => unknown(id));

export function videoCodecOfId(codecId: number): CodecName {
  return VIDEO_BY_ID[codecId & 15] ?? (UNKNOWN_IDS[codecId & 15] as string);
}

export function audioCodecOfFormat(soundFormat: number): CodecName {
  return AUDIO_BY_FORMAT[soundFormat & 15] ?? (UNKNOWN_IDS[soundFormat & 15] as string);
}

/** The name of a FourCC read as a big-endian number. Allocates for one that no list knows. */
export function codecOfFourCc(fourCc: number): CodecName {
  return NAME_BY_FOURCC.get(fourCc) ?? unknown(fourCc);
}

const DISPLAY_NAMES: ReadonlyMap<CodecName, string> = new Map([
  ['avc1', 'H.264'],
  ['hvc1', 'HEVC (H.265)'],
  ['vvc1', 'VVC (H.266)'],
  ['av01', 'AV1'],
  ['vp08', 'VP8'],
  ['vp09', 'VP9'],
  ['jpeg', 'JPEG'],
  ['sorenson-h263', 'Sorenson H.263'],
  ['screen-video', 'Screen Video'],
  ['screen-video-2', 'Screen Video 2'],
  ['vp6', 'On2 VP6'],
  ['vp6-alpha', 'On2 VP6 with alpha'],
  ['h263', 'H.263'],
  ['mpeg4', 'MPEG-4 Part 2'],
  ['mp4a', 'AAC'],
  ['.mp3', 'MP3'],
  ['Opus', 'Opus'],
  ['fLaC', 'FLAC'],
  ['ac-3', 'AC-3'],
  ['ec-3', 'E-AC-3'],
  ['pcm', 'PCM'],
  ['pcm-little-endian', 'PCM'],
  ['adpcm', 'ADPCM'],
  ['nellymoser', 'Nellymoser'],
  ['g711-alaw', 'G.711 A-law'],
  ['g711-mulaw', 'G.711 mu-law'],
  ['speex', 'Speex'],
  ['device-specific', 'device-specific sound'],
]);

/** A codec's name for people: 'H.264' for 'avc1'; `unknown:xxxxxxxx` becomes `unknown codec (0xxxxxxxxx)`. */
export function codecDisplayName(codec: CodecName): string {
  const known = DISPLAY_NAMES.get(codec);
  if (known) return known;
  return codec.startsWith('unknown:') ? `unknown codec (0x${codec.slice('unknown:'.length)})` : codec;
}

/**
 * Codec IDs; their display names are in `spec/codec-names.ts`. A codec has one ID in all carriages: the FourCC of Enhanced
 * RTMP if there is one ('avc1' also for FLV's codec ID 7, 'mp4a' for sound format 10), otherwise a word for FLV's older
 * codecs.
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

/** FLV E.4.2.1, SoundFormat; 9 marks the enhanced header, 13 is unofficial and in use for Opus. */
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

/** The name of a FourCC read as a big-endian number. Allocates for an unknown one. */
export function codecOfFourCc(fourCc: number): CodecName {
  return NAME_BY_FOURCC.get(fourCc) ?? unknown(fourCc);
}

/** Claims of onMetaData. Never used as a measurement: encoders send arbitrary values. */
import { isObject } from '../../lib/objects.js';

const VIDEO_BY_ID: Readonly<Record<number, string>> = {
  1: 'jpeg',
  2: 'sorenson-h263',
  3: 'screen-video',
  4: 'vp6',
  5: 'vp6-alpha',
  6: 'screen-video-2',
  7: 'avc1',
  8: 'h263',
  12: 'hvc1',
};
const AUDIO_BY_ID: Readonly<Record<number, string>> = {
  1: 'adpcm',
  2: '.mp3',
  3: 'pcm-little-endian',
  4: 'nellymoser',
  5: 'nellymoser',
  6: 'nellymoser',
  7: 'g711-alaw',
  8: 'g711-mulaw',
  10: 'mp4a',
  11: 'speex',
  14: '.mp3',
};

export interface MetadataFacts {
  videoCodec: string | undefined;
  width: number | undefined;
  height: number | undefined;
  audioCodec: string | undefined;
  sampleRate: number | undefined;
  channels: number | undefined;
  /** The `encoder` text. */
  encoder: string | undefined;
}

export function noMetadata(): MetadataFacts {
  return {
    videoCodec: undefined,
    width: undefined,
    height: undefined,
    audioCodec: undefined,
    sampleRate: undefined,
    channels: undefined,
    encoder: undefined,
  };
}

/** Reads the decoded AMF value of onMetaData: an object, an ECMA array, or a list that ends with one. Members of an unexpected type are ignored. */
export function readMetadata(value: unknown): MetadataFacts {
  const get = fieldsOf(value);
  return {
    videoCodec: codecClaim(get('videocodecid'), VIDEO_BY_ID),
    width: positive(get('width')),
    height: positive(get('height')),
    audioCodec: codecClaim(get('audiocodecid'), AUDIO_BY_ID),
    sampleRate: positive(get('audiosamplerate')),
    // `stereo: false` is said of anything that is not stereo, 5.1 too.
    channels: positive(get('audiochannels')) ?? (get('stereo') === true ? 2 : undefined),
    encoder: text(get('encoder')),
  };
}

function fieldsOf(value: unknown): (name: string) => unknown {
  const last = Array.isArray(value) ? value.findLast(isObject) : value;
  if (last instanceof Map) return (name) => last.get(name);
  if (!isObject(last)) return () => undefined;
  return (name) => (Object.hasOwn(last, name) ? (last as Record<string, unknown>)[name] : undefined);
}

/** Encoders write zero before they know the value. */
function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;
}

/** A codec ID is a number, a FourCC as text, or a FourCC packed into a number in either byte order. */
function codecClaim(value: unknown, byId: Readonly<Record<number, string>>): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, 32);
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return undefined;
  const known = byId[value];
  if (known !== undefined) return known;
  if (value < 0x01000000) return `id ${value}`;
  const bytes = [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
  const forward = String.fromCharCode(...bytes);
  return /^[a-z]/i.test(forward) || forward.startsWith('.') ? unreversed(forward) : [...forward].reverse().join('');
}

/** 828,601,953 is "1cva" in one byte order and "avc1" in the other. */
function unreversed(forward: string): string {
  const reversed = [...forward].reverse().join('');
  return ['avc1', 'hvc1', 'av01', 'vp09', 'mp4a', 'vp08'].includes(reversed) ? reversed : forward;
}

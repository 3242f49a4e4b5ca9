/** Display names of codecs, by the ids of `media/flv/codecs.ts`. */

const NAMES: ReadonlyMap<string, string> = new Map([
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
  ['device-specific', 'device-specific audio'],
]);

export function isNamedCodec(codec: string): boolean {
  return NAMES.has(codec);
}

const UNKNOWN = /^unknown:([0-9a-f]{8})$/;

/** 'H.264' for 'avc1'. An unknown codec is named by its FLV codec id, its FourCC if printable, or its four bytes in hex. */
export function codecName(codec: string): string {
  const hex = UNKNOWN.exec(codec)?.[1];
  if (hex === undefined) return NAMES.get(codec) ?? codec;
  const value = Number.parseInt(hex, 16);
  if (value < 16) return `codec id ${value} (unknown)`;
  const fourCc = String.fromCharCode(...[24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff));
  return `${/^[\w.+-][\w.+ -]{3}$/.test(fourCc) ? fourCc.trimEnd() : `0x${hex}`} (unknown codec)`;
}

/** Codec names for people, and what encoders call codecs in their metadata. */

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
  ['device-specific', 'device-specific sound'],
]);

/** 'H.264' for 'avc1'; a codec that no list knows by its number. */
export function codecName(codec: string): string {
  if (codec.startsWith('unknown:')) return `unknown (0x${codec.slice('unknown:'.length)})`;
  return NAMES.get(codec) ?? codec;
}

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

/** The codec that a metadata text means, as the media side names it; a FourCC that nobody knows is that number. */
export function codecFromClaim(claim: string): string {
  const known = CLAIMS.get(claim.toLowerCase());
  if (known !== undefined) return known;
  if (NAMES.has(claim) || !/^[ -~]{4}$/.test(claim)) return claim;
  return `unknown:${[...claim].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('')}`;
}

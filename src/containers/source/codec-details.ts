/** Long names of the codecs that recorders write beside H.264 and AAC, as FFmpeg has them. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  hevc: 'H.265 / HEVC (High Efficiency Video Coding)',
  av1: 'Alliance for Open Media AV1',
  vp8: 'On2 VP8',
  vp9: 'Google VP9',
  mpeg4: 'MPEG-4 part 2',
  mpeg1video: 'MPEG-1 video',
  mpeg2video: 'MPEG-2 video',
  mjpeg: 'Motion JPEG',
  flv1: 'FLV / Sorenson Spark / Sorenson H.263 (Flash Video)',
  prores: 'Apple ProRes (iCodec Pro)',
  h263: 'H.263 / H.263-1996, H.263+ / H.263-1998 / H.263 version 2',
  opus: 'Opus (Opus Interactive Audio Codec)',
  vorbis: 'Vorbis',
  flac: 'FLAC (Free Lossless Audio Codec)',
  alac: 'ALAC (Apple Lossless Audio Codec)',
  mp3: 'MP3 (MPEG audio layer 3)',
  mp2: 'MP2 (MPEG audio layer 2)',
  ac3: 'ATSC A/52A (AC-3)',
  eac3: 'ATSC A/52B (AC-3, E-AC-3)',
  speex: 'Speex',
  dts: 'DCA (DTS Coherent Acoustics)',
  aac_latm: 'AAC LATM (Advanced Audio Coding LATM syntax)',
  pcm_mulaw: 'PCM mu-law / G.711 mu-law',
  pcm_alaw: 'PCM A-law / G.711 A-law',
};
const PCM = /^pcm_([sfu])(8|16|24|32|64)(le|be)?$/;
const SIGN = { s: 'signed ', u: 'unsigned ', f: '' } as const;

/** `PCM signed 16-bit little-endian, 48 kHz, 2 channels`; rate and channels of 0 are unknown. */
export function detailsOf(codec: string, rate: number, channels: number): string {
  const name = LONG_NAMES[codec] ?? pcmName(codec);
  return [
    ...(name === undefined ? [] : [name]),
    ...(rate > 0 ? [`${rate / 1000} kHz`] : []),
    ...(channels > 0 ? [channels === 1 ? '1 channel' : `${channels} channels`] : []),
  ].join(', ');
}

function pcmName(codec: string): string | undefined {
  const [, sign, bits, order] = PCM.exec(codec) ?? [];
  if (sign === undefined || bits === undefined) return undefined;
  const endian = order === undefined ? '' : order === 'le' ? ' little-endian' : ' big-endian';
  return `PCM ${SIGN[sign as keyof typeof SIGN]}${bits}-bit${sign === 'f' ? ' floating point' : ''}${endian}`;
}

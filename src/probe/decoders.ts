/**
 * The decoders that may open files of others: the codecs that cameras, phones, editors and the players of the supported
 * containers write. ffmpeg has some 500; the many for games and old formats are rarely tested against hostile files.
 */
const VIDEO =
  'h264 hevc av1 libdav1d libaom-av1 vp8 vp9 libvpx libvpx-vp9 mpeg1video mpeg2video mpegvideo mpeg4 msmpeg4v1 msmpeg4v2 ' +
  'msmpeg4 h261 h263 h263p flv vp3 theora vp5 vp6 vp6f vp6a wmv1 wmv2 wmv3 vc1 rv10 rv20 rv30 rv40 svq1 svq3 cinepak ' +
  'mjpeg gif dvvideo prores dnxhd cfhd jpeg2000 libopenjpeg ffv1 huffyuv ffvhuff utvideo rawvideo v210 v410 qtrle png flashsv';
const AUDIO =
  'aac aac_fixed aac_latm libfdk_aac mp1 mp1float mp2 mp2float mp3 mp3float ac3 ac3_fixed eac3 dca truehd mlp opus libopus ' +
  'vorbis libvorbis flac alac speex libspeex nellymoser amrnb amrwb libopencore_amrnb libopencore_amrwb wmav1 wmav2 wmapro ' +
  'wmalossless cook ra_144 ra_288 sipr ralf gsm gsm_ms qdm2 qdmc mace3 mace6 adpcm_ms adpcm_ima_wav adpcm_ima_qt adpcm_swf adpcm_yamaha ' +
  'pcm_alaw pcm_mulaw pcm_u8 pcm_s8 pcm_s16le pcm_s16be pcm_u16le pcm_u16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be ' +
  'pcm_f32le pcm_f32be pcm_f64le pcm_f64be pcm_bluray pcm_dvd s302m';
/** Opened by ffprobe although no subtitle is converted; without them, ffprobe refuses the whole file. */
const SUBTITLES =
  'mov_text subrip srt ass ssa webvtt text dvdsub dvbsub pgssub libzvbi_teletextdec cc_dec ttml xsub eia_608';

/** For the option `-codec_whitelist` of ffmpeg and ffprobe. */
export const DECODERS = [VIDEO, AUDIO, SUBTITLES].join(' ').replaceAll(' ', ',');

/** The codec that made ffmpeg or ffprobe refuse a file by DECODERS. */
export function refusedCodec(stderr: string): string | undefined {
  return /Codec \(([\w-]{1,40})\) not on whitelist/.exec(stderr)?.[1];
}

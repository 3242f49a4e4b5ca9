/** Encoders that are driven by a command line: FFmpeg's options, and GStreamer's elements and properties. */

import type { Remedies } from './labels.js';
import { FFMPEG, GSTREAMER } from './option-names.js';

const f = FFMPEG.settings;
const FFMPEG_SAYS = 'With ffmpeg';
const FFMPEG_GOP = `${f.gop} 60 at 30 fps (${f.gop} 120 at 60 fps)`;

export const FFMPEG_REMEDIES: Remedies = {
  6101: `${FFMPEG_SAYS}, write the ${f.outputUrl} with rtmps://.`,
  6201: `${FFMPEG_SAYS}: ${f.videoCodec} libx264.`,
  6202: `${FFMPEG_SAYS}: leave ${f.level} out, or ${f.level} 4.1 (4.2 at 60 fps), with at most ${f.size} 1920x1080.`,
  6203: `${FFMPEG_SAYS}: leave ${f.level} out, so that x264 chooses it.`,
  6204: `${FFMPEG_SAYS}: ${f.videoFilter} ${f.scale}=1920:1080, or smaller.`,
  6205: `${FFMPEG_SAYS}: ${f.videoFilter} ${f.scale}=1280:720, or another of these sizes.`,
  6206: `${FFMPEG_SAYS}: ${f.rate} 30 or ${f.rate} 60 as an output option (30 for 480p).`,
  6207: `${FFMPEG_SAYS}: ${f.videoFilter} "${f.scale}=1280:720:force_original_aspect_ratio=decrease,${f.pad}=1280:720:-1:-1,${f.setSar}=1".`,
  6208: `${FFMPEG_SAYS}: ${FFMPEG_GOP}.`,
  6209: `${FFMPEG_SAYS}: ${FFMPEG_GOP}.`,
  6210: `${FFMPEG_SAYS}: lower ${f.videoBitrate}, with ${f.maxRate} and ${f.bufferSize} at the same value.`,
  6211: `${FFMPEG_SAYS}: raise ${f.videoBitrate}, with ${f.maxRate} and ${f.bufferSize} at the same value and ${f.hrd} cbr.`,
  6212: `${FFMPEG_SAYS}: ${f.videoFilter} ${f.yadif}, and no ${f.flags} +ildct+ilme.`,
  6213: `${FFMPEG_SAYS}: ${f.pixelFormat} yuv420p.`,
  6214: `${FFMPEG_SAYS}: ${f.x264Params} open-gop=0, and no ${f.intraRefresh}; with ${f.forceKeyFrames} also ${f.forcedIdr} 1.`,
  6215: `${FFMPEG_SAYS}: ${f.gop} 60 at 30 fps and ${f.sceneCut} 0.`,
  6216: `${FFMPEG_SAYS}: map one video and one audio stream (${f.map} 0:v:0 ${f.map} 0:a:0).`,
  6301: `${FFMPEG_SAYS}: ${f.audioCodec} aac.`,
  6302: `${FFMPEG_SAYS}: ${f.audioCodec} aac ${f.audioProfile} aac_low.`,
  6303: `${FFMPEG_SAYS}: ${f.sampleRate} 48000.`,
  6304: `${FFMPEG_SAYS}: ${f.channels} 2.`,
  6305: `${FFMPEG_SAYS}: ${f.audioBitrate} 128k.`,
  6306: `${FFMPEG_SAYS}: ${f.audioBitrate} 128k.`,
  6401: `${FFMPEG_SAYS}: map a video stream (${f.map} 0:v:0), and leave ${f.noVideo} out.`,
  6402: `${FFMPEG_SAYS}: ${f.map} an audio stream; for silence, ${f.format} lavfi ${f.input} ${f.nullSource}=r=48000:cl=stereo with ${f.shortest}.`,
  6403: `${FFMPEG_SAYS}: fix the output with ${f.size}, ${f.rate}, ${f.sampleRate} and ${f.channels}, so that changes of the input do not come through.`,
  6404: `${FFMPEG_SAYS}: re-encode in place of ${f.copy}, or add ${f.inputFlags} +genpts before the input.`,
  6405: `${FFMPEG_SAYS}: ${f.audioFilter} ${f.resample}=async=1, and remove any ${f.inputOffset}.`,
  6406: `${FFMPEG_SAYS}: a faster ${f.preset} or a lower ${f.videoBitrate}; watch "speed=" stay at 1x.`,
  6407: `${FFMPEG_SAYS}: ${f.realTime} before the ${f.input} of a file.`,
  6408: `${FFMPEG_SAYS}: a faster ${f.preset}, and ${f.rate} as an output option.`,
};

const g = GSTREAMER.settings;
const GSTREAMER_SAYS = 'With GStreamer';
const GSTREAMER_GOP = `${g.x264} ${g.keyFrames}=60 at 30 fps (120 at 60 fps); ${g.openH264} calls it ${g.gopSize}`;

export const GSTREAMER_REMEDIES: Remedies = {
  6101: `${GSTREAMER_SAYS}, give ${g.sink} a ${g.location} that begins with rtmps://.`,
  6201: `${GSTREAMER_SAYS}, encode with ${g.x264} (or another H.264 encoder) before ${g.mux}.`,
  6202: `${GSTREAMER_SAYS}, lower the size or frame rate in the caps before the encoder, or put ${g.h264},${g.level}=(string)4.1 behind it.`,
  6203: `${GSTREAMER_SAYS}, leave the ${g.level} out of the caps behind the encoder.`,
  6204: `${GSTREAMER_SAYS}, ${g.videoScale} ! ${g.rawVideo},${g.width}=1920,${g.height}=1080, or smaller.`,
  6205: `${GSTREAMER_SAYS}, ${g.videoScale} ! ${g.rawVideo},${g.width}=1280,${g.height}=720, or another of these sizes.`,
  6206: `${GSTREAMER_SAYS}, ${g.videoRate} ! ${g.rawVideo},${g.framerate}=30/1 (or 60/1; 30 for 480p).`,
  6207: `${GSTREAMER_SAYS}, ${g.videoScale} ${g.addBorders}=true ! ${g.rawVideo},${g.width}=1280,${g.height}=720,${g.pixelAspect}=1/1.`,
  6208: `${GSTREAMER_SAYS}, ${GSTREAMER_GOP}.`,
  6209: `${GSTREAMER_SAYS}, ${GSTREAMER_GOP}.`,
  6210: `${GSTREAMER_SAYS}, a lower ${g.x264} ${g.bitrate} (in kbit/s) with ${g.pass}=cbr.`,
  6211: `${GSTREAMER_SAYS}, a higher ${g.x264} ${g.bitrate} (in kbit/s) with ${g.pass}=cbr; ${g.optionString}="nal-hrd=cbr" fills still pictures up.`,
  6212: `${GSTREAMER_SAYS}, put ${g.deinterlace} before the encoder, and ${g.x264} ${g.interlaced}=false.`,
  6213: `${GSTREAMER_SAYS}, ${g.videoConvert} ! ${g.rawVideo},${g.format}=I420 before the encoder.`,
  6214: `${GSTREAMER_SAYS}, ${g.x264} ${g.intraRefresh}=false, and no open-gop in ${g.optionString}.`,
  6215: `${GSTREAMER_SAYS}, ${g.x264} ${g.keyFrames}=60 at 30 fps and ${g.optionString}="scenecut=0".`,
  6216: `${GSTREAMER_SAYS}, link one video and one audio branch to ${g.mux}.`,
  6301: `${GSTREAMER_SAYS}, encode with ${g.aac}, ${g.fdk} or ${g.voAac}.`,
  6302: `${GSTREAMER_SAYS}, ${g.mpegAudio},${g.mpegVersion}=4,${g.profile}=lc behind the audio encoder.`,
  6303: `${GSTREAMER_SAYS}, ${g.audioResample} ! ${g.rawAudio},${g.rate}=48000 before the audio encoder.`,
  6304: `${GSTREAMER_SAYS}, ${g.audioConvert} ! ${g.rawAudio},${g.channels}=2 before the audio encoder.`,
  6305: `${GSTREAMER_SAYS}, set the ${g.bitrate} of the audio encoder to 128000 (bits per second).`,
  6306: `${GSTREAMER_SAYS}, set the ${g.bitrate} of the audio encoder to 128000 (bits per second).`,
  6401: `${GSTREAMER_SAYS}, link a video branch to the video pad of ${g.mux}.`,
  6402: `${GSTREAMER_SAYS}, link an audio branch to the audio pad of ${g.mux}; ${g.testSource} ${g.wave}=silence is one.`,
  6405: `${GSTREAMER_SAYS}, set ${g.doTimestamp}=true on live sources and ${g.streamable}=true on ${g.mux}.`,
  6406: `${GSTREAMER_SAYS}, a faster ${g.x264} ${g.speedPreset} or a lower ${g.bitrate}.`,
  6407: `${GSTREAMER_SAYS}, ${g.isLive}=true on test sources, and ${g.sync}=true on ${g.sink}.`,
  6408: `${GSTREAMER_SAYS}, a faster ${g.x264} ${g.speedPreset} and ${g.tune}=zerolatency.`,
};

/** Remedies for command-line encoders: FFmpeg options, and GStreamer elements and properties. */

import type { Remedies } from './labels.js';
import { FFMPEG, GSTREAMER } from './option-names.js';

const f = FFMPEG.settings;
const WITH_FFMPEG = 'With ffmpeg';
const FFMPEG_GOP = `${f.gop} 60 at 30 fps (${f.gop} 120 at 60 fps)`;

export const FFMPEG_REMEDIES: Remedies = {
  6101: `${WITH_FFMPEG}, write the ${f.outputUrl} with rtmps://.`,
  6201: `${WITH_FFMPEG}: ${f.videoCodec} libx264.`,
  6202: `${WITH_FFMPEG}: leave ${f.level} out, or ${f.level} 4.1 (4.2 at 60 fps), with at most ${f.size} 1920x1080.`,
  6203: `${WITH_FFMPEG}: leave ${f.level} out, so that x264 chooses it.`,
  6204: `${WITH_FFMPEG}: ${f.videoFilter} ${f.scale}=1920:1080, or smaller.`,
  6205: `${WITH_FFMPEG}: ${f.videoFilter} ${f.scale}=1280:720, or another of these sizes.`,
  6206: `${WITH_FFMPEG}: ${f.rate} 30 or ${f.rate} 60 as an output option (30 for 480p).`,
  6207: `${WITH_FFMPEG}: ${f.videoFilter} "${f.scale}=1280:720:force_original_aspect_ratio=decrease,${f.pad}=1280:720:-1:-1,${f.setSar}=1".`,
  6208: `${WITH_FFMPEG}: ${FFMPEG_GOP}.`,
  6209: `${WITH_FFMPEG}: ${FFMPEG_GOP}.`,
  6210: `${WITH_FFMPEG}: lower ${f.videoBitrate}, with ${f.maxRate} and ${f.bufferSize} at the same value.`,
  6211: `${WITH_FFMPEG}: raise ${f.videoBitrate}, with ${f.maxRate} and ${f.bufferSize} at the same value and ${f.hrd} cbr.`,
  6212: `${WITH_FFMPEG}: ${f.videoFilter} ${f.yadif}, and no ${f.flags} +ildct+ilme.`,
  6213: `${WITH_FFMPEG}: ${f.pixelFormat} yuv420p.`,
  6214: `${WITH_FFMPEG}: ${f.x264Params} open-gop=0, and no ${f.intraRefresh}; with ${f.forceKeyFrames} also ${f.forcedIdr} 1.`,
  6215: `${WITH_FFMPEG}: ${f.gop} 60 at 30 fps and ${f.sceneCut} 0.`,
  6216: `${WITH_FFMPEG}: map one video and one audio stream (${f.map} 0:v:0 ${f.map} 0:a:0).`,
  6301: `${WITH_FFMPEG}: ${f.audioCodec} aac.`,
  6302: `${WITH_FFMPEG}: ${f.audioCodec} aac ${f.audioProfile} aac_low.`,
  6303: `${WITH_FFMPEG}: ${f.sampleRate} 48000.`,
  6304: `${WITH_FFMPEG}: ${f.channels} 2.`,
  6305: `${WITH_FFMPEG}: ${f.audioBitrate} 128k.`,
  6306: `${WITH_FFMPEG}: ${f.audioBitrate} 128k.`,
  6401: `${WITH_FFMPEG}: map a video stream (${f.map} 0:v:0), and leave ${f.noVideo} out.`,
  6402: `${WITH_FFMPEG}: ${f.map} an audio stream; for silence, ${f.format} lavfi ${f.input} ${f.nullSource}=r=48000:cl=stereo with ${f.shortest}.`,
  6403: `${WITH_FFMPEG}: fix the output with ${f.size}, ${f.rate}, ${f.sampleRate} and ${f.channels}, so that changes of the input do not come through.`,
  6404: `${WITH_FFMPEG}: re-encode in place of ${f.copy}, or add ${f.inputFlags} +genpts before the input.`,
  6405: `${WITH_FFMPEG}: ${f.audioFilter} ${f.resample}=async=1, and remove any ${f.inputOffset}.`,
  6406: `${WITH_FFMPEG}: a faster ${f.preset} or a lower ${f.videoBitrate}; watch "speed=" stay at 1x.`,
  6407: `${WITH_FFMPEG}: ${f.realTime} before the ${f.input} of a file.`,
  6408: `${WITH_FFMPEG}: a faster ${f.preset}, and ${f.rate} as an output option.`,
  6902: `${WITH_FFMPEG}: lower ${f.videoBitrate} and ${f.maxRate} to {target}, or use a faster or wired uplink.`,
  6903: `${WITH_FFMPEG}: lower ${f.videoBitrate} and ${f.maxRate} to {target}, or use a faster or wired uplink.`,
  6905: `${WITH_FFMPEG}: a faster ${f.preset} (NVENC: p1 to p3), a smaller ${f.size} or a lower ${f.rate}.`,
};

const g = GSTREAMER.settings;
const WITH_GSTREAMER = 'With GStreamer';
const GSTREAMER_GOP = `${g.x264} ${g.keyFrames}=60 at 30 fps (120 at 60 fps); ${g.openH264} calls it ${g.gopSize}`;

export const GSTREAMER_REMEDIES: Remedies = {
  6101: `${WITH_GSTREAMER}, give ${g.sink} a ${g.location} that begins with rtmps://.`,
  6201: `${WITH_GSTREAMER}, encode with ${g.x264} (or another H.264 encoder) before ${g.mux}.`,
  6202: `${WITH_GSTREAMER}, lower the size or frame rate in the caps before the encoder, or put ${g.h264},${g.level}=(string)4.1 behind it.`,
  6203: `${WITH_GSTREAMER}, leave the ${g.level} out of the caps behind the encoder.`,
  6204: `${WITH_GSTREAMER}, ${g.videoScale} ! ${g.rawVideo},${g.width}=1920,${g.height}=1080, or smaller.`,
  6205: `${WITH_GSTREAMER}, ${g.videoScale} ! ${g.rawVideo},${g.width}=1280,${g.height}=720, or another of these sizes.`,
  6206: `${WITH_GSTREAMER}, ${g.videoRate} ! ${g.rawVideo},${g.framerate}=30/1 (or 60/1; 30 for 480p).`,
  6207: `${WITH_GSTREAMER}, ${g.videoScale} ${g.addBorders}=true ! ${g.rawVideo},${g.width}=1280,${g.height}=720,${g.pixelAspect}=1/1.`,
  6208: `${WITH_GSTREAMER}, ${GSTREAMER_GOP}.`,
  6209: `${WITH_GSTREAMER}, ${GSTREAMER_GOP}.`,
  6210: `${WITH_GSTREAMER}, a lower ${g.x264} ${g.bitrate} (in kbit/s) with ${g.pass}=cbr.`,
  6211: `${WITH_GSTREAMER}, a higher ${g.x264} ${g.bitrate} (in kbit/s) with ${g.pass}=cbr; ${g.optionString}="nal-hrd=cbr" fills still pictures up.`,
  6212: `${WITH_GSTREAMER}, put ${g.deinterlace} before the encoder, and ${g.x264} ${g.interlaced}=false.`,
  6213: `${WITH_GSTREAMER}, ${g.videoConvert} ! ${g.rawVideo},${g.format}=I420 before the encoder.`,
  6214: `${WITH_GSTREAMER}, ${g.x264} ${g.intraRefresh}=false, and no open-gop in ${g.optionString}.`,
  6215: `${WITH_GSTREAMER}, ${g.x264} ${g.keyFrames}=60 at 30 fps and ${g.optionString}="scenecut=0".`,
  6216: `${WITH_GSTREAMER}, link one video and one audio branch to ${g.mux}.`,
  6301: `${WITH_GSTREAMER}, encode with ${g.aac}, ${g.fdk} or ${g.voAac}.`,
  6302: `${WITH_GSTREAMER}, ${g.mpegAudio},${g.mpegVersion}=4,${g.profile}=lc behind the audio encoder.`,
  6303: `${WITH_GSTREAMER}, ${g.audioResample} ! ${g.rawAudio},${g.rate}=48000 before the audio encoder.`,
  6304: `${WITH_GSTREAMER}, ${g.audioConvert} ! ${g.rawAudio},${g.channels}=2 before the audio encoder.`,
  6305: `${WITH_GSTREAMER}, set the ${g.bitrate} of the audio encoder to 128000 (bits per second).`,
  6306: `${WITH_GSTREAMER}, set the ${g.bitrate} of the audio encoder to 128000 (bits per second).`,
  6401: `${WITH_GSTREAMER}, link a video branch to the video pad of ${g.mux}.`,
  6402: `${WITH_GSTREAMER}, link an audio branch to the audio pad of ${g.mux}; ${g.testSource} ${g.wave}=silence is one.`,
  6405: `${WITH_GSTREAMER}, set ${g.doTimestamp}=true on live sources and ${g.streamable}=true on ${g.mux}.`,
  6406: `${WITH_GSTREAMER}, a faster ${g.x264} ${g.speedPreset} or a lower ${g.bitrate}.`,
  6407: `${WITH_GSTREAMER}, ${g.isLive}=true on test sources, and ${g.sync}=true on ${g.sink}.`,
  6408: `${WITH_GSTREAMER}, a faster ${g.x264} ${g.speedPreset} and ${g.tune}=zerolatency.`,
  6902: `${WITH_GSTREAMER}, lower the ${g.bitrate} of the video encoder to {target}, or use a faster or wired uplink.`,
  6903: `${WITH_GSTREAMER}, lower the ${g.bitrate} of the video encoder to {target}, or use a faster or wired uplink.`,
  6905: `${WITH_GSTREAMER}, a faster ${g.x264} ${g.speedPreset}, a smaller picture or a lower frame rate.`,
};

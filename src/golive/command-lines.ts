/** Ready lines for other encoders: ffmpeg, GStreamer, and a link that sets Larix Broadcaster up. */
import { LIVE } from '../spec/live.js';
import type { EncoderSettings } from './obs-profile.js';

export type { EncoderSettings } from './obs-profile.js';

const SAMPLE_RATE = Math.max(...LIVE.audio.sampleRatesHz);

/** Sends a test picture and tone. `url` is put in single quotes and must not contain any. */
export function ffmpegLine(settings: EncoderSettings, url: string): string {
  const { width, height, fps, videoKbps, audioKbps, keyFrameSeconds } = settings;
  const rate = `${videoKbps}k`;
  return [
    `ffmpeg -re -f lavfi -i testsrc2=size=${width}x${height}:rate=${fps} -f lavfi -i sine=frequency=440:sample_rate=${SAMPLE_RATE}`,
    `-c:v libx264 -preset veryfast -pix_fmt yuv420p -x264-params nal-hrd=cbr`,
    `-b:v ${rate} -minrate ${rate} -maxrate ${rate} -bufsize ${rate} -g ${fps * keyFrameSeconds} -sc_threshold 0`,
    `-c:a aac -b:a ${audioKbps}k -ar ${SAMPLE_RATE} -ac ${LIVE.audio.channels} -f flv '${url}'`,
  ].join(' \\\n  ');
}

/** Command line for GStreamer. */
export function gstreamerLine(settings: EncoderSettings, url: string): string {
  const { width, height, fps, videoKbps, audioKbps, keyFrameSeconds } = settings;
  return [
    `gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,width=${width},height=${height},framerate=${fps}/1,format=I420`,
    `! x264enc bitrate=${videoKbps} key-int-max=${fps * keyFrameSeconds} option-string=scenecut=0:nal-hrd=cbr:vbv-maxrate=${videoKbps}:vbv-bufsize=${videoKbps} speed-preset=veryfast`,
    `! video/x-h264,profile=high ! h264parse ! queue ! mux.`,
    `audiotestsrc is-live=true ! audio/x-raw,rate=${SAMPLE_RATE},channels=${LIVE.audio.channels} ! avenc_aac bitrate=${audioKbps * 1000} ! aacparse ! queue ! mux.`,
    `flvmux name=mux streamable=true ! rtmp2sink location='${url}'`,
  ].join(' \\\n  ');
}

/** Larix opens this link, also from a QR code, and asks its user before it takes the settings over. */
export function larixLink(settings: EncoderSettings, url: string, name: string): string {
  const params: readonly (readonly [string, string | number])[] = [
    ['conn[][url]', url],
    ['conn[][name]', name],
    ['conn[][overwrite]', 'on'],
    ['enc[vid][res]', `${settings.width}x${settings.height}`],
    ['enc[vid][fps]', settings.fps],
    ['enc[vid][bitrate]', settings.videoKbps],
    ['enc[vid][keyframe]', settings.keyFrameSeconds],
    ['enc[vid][format]', 'avc'],
    ['enc[aud][bitrate]', settings.audioKbps],
    ['enc[aud][channels]', LIVE.audio.channels],
    ['enc[aud][samples]', SAMPLE_RATE],
  ];
  return `larix://set/v1?${params.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}

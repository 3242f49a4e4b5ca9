/** Encoder settings for each profile of the specification. Pure; numbers come from `src/spec/`. */
import { LIVE, type LiveProfile } from '../../../spec/live.js';

export interface EncoderSettings {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly videoKbps: number;
  readonly audioKbps: number;
  readonly keyFrameSeconds: number;
  readonly level: string;
}

/** The middle of the range, rounded: neither bursts nor still pictures leave the range. */
function middle({ videoBitrateKbps }: LiveProfile): number {
  return Math.round((videoBitrateKbps.min + videoBitrateKbps.max) / 2 / 250) * 250;
}

export const ENCODER_SETTINGS: readonly EncoderSettings[] = LIVE.profiles.map((profile: LiveProfile) => {
  const fps = profile.fps ?? 30;
  return {
    name: profile.name,
    width: profile.width,
    height: profile.height,
    fps,
    videoKbps: middle(profile),
    audioKbps: LIVE.audio.bitrateKbps.preferred,
    keyFrameSeconds: LIVE.keyFrameInterval.recommendedMs / 1000,
    level: (LIVE.videoCodec.maxLevelTimes10[fps] / 10).toFixed(1),
  };
});

/** Sends a test picture and tone. `url` is put in single quotes and must not contain any. */
export function ffmpegLine(settings: EncoderSettings, url: string): string {
  const { width, height, fps, videoKbps, audioKbps, keyFrameSeconds } = settings;
  const rate = `${videoKbps}k`;
  return [
    `ffmpeg -re -f lavfi -i testsrc2=size=${width}x${height}:rate=${fps} -f lavfi -i sine=frequency=440:sample_rate=48000`,
    `-c:v libx264 -preset veryfast -pix_fmt yuv420p -x264-params nal-hrd=cbr`,
    `-b:v ${rate} -minrate ${rate} -maxrate ${rate} -bufsize ${rate} -g ${fps * keyFrameSeconds} -sc_threshold 0`,
    `-c:a aac -b:a ${audioKbps}k -ar 48000 -ac 2 -f flv '${url}'`,
  ].join(' \\\n  ');
}

/** Splits a stream URL into the server and stream key fields of an encoder. */
export function splitStreamUrl(url: string): { readonly server: string; readonly key: string } {
  const cut = url.lastIndexOf('/') + 1;
  return { server: url.slice(0, cut), key: url.slice(cut) };
}

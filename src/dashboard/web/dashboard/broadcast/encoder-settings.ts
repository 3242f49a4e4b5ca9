/** Encoder settings for each profile of the specification. Pure; numbers come from `src/spec/`. */
import type { EncoderSettings as LineSettings } from '../../../../golive/command-lines.js';
import { LIVE, type LiveProfile, shortName } from '../../../../spec/live.js';

export interface EncoderSettings extends LineSettings {
  readonly name: string;
  /** `720p30` */
  readonly profile: string;
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
    profile: shortName(profile),
    width: profile.width,
    height: profile.height,
    fps,
    videoKbps: middle(profile),
    audioKbps: LIVE.audio.bitrateKbps.preferred,
    keyFrameSeconds: LIVE.keyFrameInterval.recommendedMs / 1000,
    level: (LIVE.videoCodec.maxLevelTimes10[fps] / 10).toFixed(1),
  };
});

/** The profile of the pictures that are sent: of their frame rate, the highest that is not higher. */
export function settingsFor(sent: {
  readonly height?: number;
  readonly frame_rate_class?: 30 | 60;
}): EncoderSettings | undefined {
  const { height, frame_rate_class: fps = 30 } = sent;
  if (height === undefined) return undefined;
  const ofRate = ENCODER_SETTINGS.filter((each) => each.fps === fps).sort((a, b) => b.height - a.height);
  return ofRate.find((each) => each.height <= height) ?? ofRate.at(-1);
}

export { ffmpegLine, gstreamerLine, larixLink } from '../../../../golive/command-lines.js';

/** Splits a stream URL into the server and stream key fields of an encoder. */
export function splitStreamUrl(url: string): { readonly server: string; readonly key: string } {
  const cut = url.lastIndexOf('/') + 1;
  return { server: url.slice(0, cut), key: url.slice(cut) };
}

/** All rules of the live specification, in the order of their codes, and which of them an event concerns. */
import { audioBitRate } from '../live/audio-bitrate.js';
import { audioBitRatePreferred } from '../live/audio-bitrate-preferred.js';
import { audioChannels } from '../live/audio-channels.js';
import { audioCodec } from '../live/audio-codec.js';
import { audioProfile } from '../live/audio-profile.js';
import { audioSampleRate } from '../live/audio-sample-rate.js';
import { audioVideoDrift } from '../live/audio-video-drift.js';
import { durationExceeded, durationNearLimit } from '../live/duration.js';
import { fasterThanRealTime } from '../live/faster-than-real-time.js';
import { framesDropped } from '../live/frames-dropped.js';
import { keyFrameFrequency } from '../live/key-frame-frequency.js';
import { keyFrameInterval } from '../live/key-frame-interval.js';
import { keyFrameIntervalRecommended } from '../live/key-frame-interval-recommended.js';
import { metadataMatches } from '../live/metadata.js';
import { multipleTracks } from '../live/multiple-tracks.js';
import { openGop } from '../live/open-gop.js';
import { protocol } from '../live/protocol.js';
import { settingsChanged } from '../live/settings-changed.js';
import { starved } from '../live/starved.js';
import { timestampOrder } from '../live/timestamp-order.js';
import { audioMissing, videoMissing } from '../live/track-missing.js';
import { videoAspectRatio } from '../live/video-aspect-ratio.js';
import { videoBitRateHigh } from '../live/video-bitrate-high.js';
import { videoBitRateLow } from '../live/video-bitrate-low.js';
import { videoChroma } from '../live/video-chroma.js';
import { videoCodec } from '../live/video-codec.js';
import { videoFrameRate } from '../live/video-frame-rate.js';
import { videoLevel } from '../live/video-level.js';
import { videoLevelUnderstated } from '../live/video-level-understated.js';
import { videoResolutionListed } from '../live/video-resolution-listed.js';
import { videoResolutionMax } from '../live/video-resolution-max.js';
import { videoScan } from '../live/video-scan.js';
import type { LiveRule } from '../rule.js';

export const LIVE_RULES: readonly LiveRule[] = [
  protocol,
  videoCodec,
  videoLevel,
  videoLevelUnderstated,
  videoResolutionMax,
  videoResolutionListed,
  videoFrameRate,
  videoAspectRatio,
  keyFrameInterval,
  keyFrameIntervalRecommended,
  videoBitRateHigh,
  videoBitRateLow,
  videoScan,
  videoChroma,
  openGop,
  keyFrameFrequency,
  multipleTracks,
  metadataMatches,
  audioCodec,
  audioProfile,
  audioSampleRate,
  audioChannels,
  audioBitRate,
  audioBitRatePreferred,
  videoMissing,
  audioMissing,
  settingsChanged,
  timestampOrder,
  audioVideoDrift,
  starved,
  fasterThanRealTime,
  framesDropped,
  durationExceeded,
  durationNearLimit,
];

/** Events that any rule looks at. */
export const SEEN_BY_RULES = LIVE_RULES.reduce((seen, rule) => seen | rule.sees, 0);

const BY_EVENTS = new Map<number, readonly number[]>();

/** Places in `LIVE_RULES` of the rules that look at any of the events. Few combinations of events occur, so each is worked out once. */
export function rulesFor(events: number): readonly number[] {
  let places = BY_EVENTS.get(events);
  if (places === undefined) {
    places = LIVE_RULES.flatMap((rule, place) => ((rule.sees & events) !== 0 ? [place] : []));
    BY_EVENTS.set(events, places);
  }
  return places;
}

/** 6211: the video's bit rate is not below its profile's range. */
import { VIDEO_BEAT } from '../../facts/events.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { BROKEN, KEPT, type LiveRule, UNKNOWN } from '../rule.js';
import { rangeOf } from './video-bitrate-high.js';

export const videoBitRateLow: LiveRule = {
  code: 6211,
  sees: VIDEO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.videoLowHoldMs.value },
  check(facts) {
    const { bitRateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitRateKbps)) return UNKNOWN;
    return bitRateKbps < range.minKbps * BIT_RATE.videoLowFactor.value ? BROKEN : KEPT;
  },
  observed: ({ video }) => video.bitRateKbps,
  limit: (facts) => rangeOf(facts)?.minKbps ?? Number.NaN,
  words: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

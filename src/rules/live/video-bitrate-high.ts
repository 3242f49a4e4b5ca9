/** 6210: the video's bit rate is not above its profile's range. */
import { VIDEO_BEAT } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { type BitRateRange, bitRateRange } from '../profile.js';
import { BROKEN, BROKEN_NOW, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

/** The range of the picture as it is; undefined while size or class is unknown. */
export function rangeOf({ video }: StreamFacts): BitRateRange | undefined {
  if (!video.hasParameterSets || video.rate.class === undefined) return undefined;
  return bitRateRange(video.width, video.height, video.rate.class);
}

export const videoBitRateHigh: LiveRule = {
  code: 6210,
  sees: VIDEO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.videoHighHoldMs.value },
  check(facts) {
    const { bitRateKbps, longBitRateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitRateKbps)) return UNKNOWN;
    if (longBitRateKbps > range.maxKbps * BIT_RATE.videoHighLongFactor.value) return BROKEN_NOW;
    return bitRateKbps > range.maxKbps * BIT_RATE.videoHighFactor.value ? BROKEN : KEPT;
  },
  observed(facts) {
    const { bitRateKbps, longBitRateKbps } = facts.video;
    const max = rangeOf(facts)?.maxKbps ?? Number.POSITIVE_INFINITY;
    // What raised it: the minute's mean when the short one alone would not have.
    return bitRateKbps <= max * BIT_RATE.videoHighFactor.value && longBitRateKbps > bitRateKbps
      ? longBitRateKbps
      : bitRateKbps;
  },
  limit: (facts) => rangeOf(facts)?.maxKbps ?? Number.NaN,
  words: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

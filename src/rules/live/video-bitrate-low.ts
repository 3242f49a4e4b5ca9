/** 6211: the video's bit rate is not below its profile's range. */
import { VIDEO_BEAT } from '../../facts/events.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { rangeOf } from '../profile.js';
import { BROKEN, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

export const videoBitRateLow: LiveRule = {
  entry: entry({
    code: 6211,
    type: 'VIDEO_BITRATE_TOO_LOW',
    severity: 'warning',
    title: 'Video bit rate below the range',
    clause: CLAUSES.profiles,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.videoLowHoldMs.value)} below ${BIT_RATE.videoLowFactor.value} times the bottom of the range.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BIT_RATE.windowMs.value + BIT_RATE.videoLowHoldMs.value + 100, text: 'after the rate fell' },
    unit: 'kbps',
    worst: 'lowest',
    sentence: 'The video bit rate is {observed}; {profile} needs at least {limit}.',
  }),
  remedy: 'Raise the video bit rate and choose a constant bit rate (CBR).',
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

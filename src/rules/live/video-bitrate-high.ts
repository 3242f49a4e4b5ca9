/** 6210: the video's bit rate is not above its profile's range. */
import { VIDEO_BEAT } from '../../facts/events.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { rangeOf } from '../profile.js';
import { FAIL, FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const videoBitrateHigh: LiveRule = {
  entry: entry({
    code: 6210,
    type: 'VIDEO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Video bit rate above the range',
    clause: CLAUSES.profiles,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.videoHighHoldMs.value)} above ${BIT_RATE.videoHighFactor.value} times the top of the range, or the mean of 60 s is above ${BIT_RATE.videoHighLongFactor.value} times.`,
    clears: CLEARS.insideWindow,
    delay: {
      ms: BIT_RATE.windowMs.value + BIT_RATE.videoHighHoldMs.value + 100,
      text: 'after the rate rose, for what the short window sees',
    },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The video bit rate is {observed}; {profile} allows at most {limit}.',
  }),
  remedy: 'Lower the video bit rate to the middle of the range and choose a constant bit rate (CBR).',
  events: VIDEO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.videoHighHoldMs.value },
  check(facts) {
    const { bitrateKbps, longBitrateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitrateKbps)) return UNKNOWN;
    if (longBitrateKbps > range.maxKbps * BIT_RATE.videoHighLongFactor.value) return FAIL_NOW;
    return bitrateKbps > range.maxKbps * BIT_RATE.videoHighFactor.value ? FAIL : PASS;
  },
  observed(facts) {
    const { bitrateKbps, longBitrateKbps } = facts.video;
    const max = rangeOf(facts)?.maxKbps ?? Number.POSITIVE_INFINITY;
    // What raised it: the minute's mean when the short one alone would not have.
    return bitrateKbps <= max * BIT_RATE.videoHighFactor.value && longBitrateKbps > bitrateKbps
      ? longBitrateKbps
      : bitrateKbps;
  },
  limit: (facts) => rangeOf(facts)?.maxKbps ?? Number.NaN,
  placeholders: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

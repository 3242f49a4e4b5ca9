/** 6211: the video's bit rate is not below its profile's range. */
import { VIDEO_BEAT } from '../../facts/events.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { rangeOf } from '../profile.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const videoBitrateLow: LiveRule = {
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
  events: VIDEO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.videoLowHoldMs.value },
  check(facts) {
    const { bitrateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps < range.minKbps * BIT_RATE.videoLowFactor.value ? FAIL : PASS;
  },
  observed: ({ video }) => video.bitrateKbps,
  limit: (facts) => rangeOf(facts)?.minKbps ?? Number.NaN,
  placeholders: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

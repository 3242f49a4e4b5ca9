/** 6210: the video bitrate is not above the range of its profile. */
import { VIDEO_BEAT } from '../../facts/measures/events.js';
import { BITRATE } from '../../spec/tolerances.js';
import { rangeOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const videoBitrateHigh: LiveRule = {
  entry: entry({
    code: 6210,
    type: 'VIDEO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Video bitrate above the range',
    passes: 'Video bitrate at most the maximum',
    row: 'video-bitrate',
    perTrack: true,
    clause: CLAUSES.profiles,
    raisedWhen: `The 10 s mean is above ${BITRATE.videoHighFactor.value} times the maximum of the range for ${seconds(BITRATE.videoHighHoldMs.value)}, or the 60 s mean is above ${BITRATE.videoHighLongFactor.value} times the maximum.`,
    clears: CLEARS.insideWindow,
    delay: {
      ms: BITRATE.windowMs.value + BITRATE.videoHighHoldMs.value + 100,
      text: 'after the bitrate rises, for the 10 s window',
    },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The video bitrate is {observed}; {profile} allows at most {limit}.',
  }),
  remedy: 'Lower the video bitrate to the middle of the range and select constant bitrate (CBR).',
  events: VIDEO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.videoHighHoldMs.value },
  check(facts) {
    const { bitrateKbps, longBitrateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitrateKbps)) return UNKNOWN;
    if (longBitrateKbps > range.maxKbps * BITRATE.videoHighLongFactor.value) return FAIL_NOW;
    return bitrateKbps > range.maxKbps * BITRATE.videoHighFactor.value ? FAIL : PASS;
  },
  observed(facts) {
    const { bitrateKbps, longBitrateKbps } = facts.video;
    const max = rangeOf(facts)?.maxKbps ?? Number.POSITIVE_INFINITY;
    // The mean that raised it: that of the long window if the short one is within its bound.
    return bitrateKbps <= max * BITRATE.videoHighFactor.value && longBitrateKbps > bitrateKbps
      ? longBitrateKbps
      : bitrateKbps;
  },
  limit: (facts) => rangeOf(facts)?.maxKbps ?? Number.NaN,
  placeholders: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

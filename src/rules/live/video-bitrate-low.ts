/** 6211: the video bitrate is not below the range of its profile. */
import { VIDEO_BEAT } from '../../facts/measures/events.js';
import { BITRATE } from '../../spec/tolerances.js';
import { rangeOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const videoBitrateLow: LiveRule = {
  entry: entry({
    code: 6211,
    type: 'VIDEO_BITRATE_TOO_LOW',
    severity: 'warning',
    title: 'Video bitrate below the range',
    passes: 'Video bitrate at least the minimum',
    row: 'video-bitrate',
    perTrack: true,
    clause: CLAUSES.profiles,
    raisedWhen: `The 10 s mean is below ${BITRATE.videoLowFactor.value} times the minimum of the range for ${seconds(BITRATE.videoLowHoldMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BITRATE.windowMs.value + BITRATE.videoLowHoldMs.value + 100, text: 'after the bitrate falls' },
    unit: 'kbps',
    worst: 'lowest',
    sentence: 'The video bitrate is {observed}; {profile} needs at least {limit}.',
  }),
  remedy: 'Raise the video bitrate and select constant bitrate (CBR).',
  events: VIDEO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.videoLowHoldMs.value },
  check(facts) {
    const { bitrateKbps } = facts.video;
    const range = rangeOf(facts);
    if (range === undefined || Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps < range.minKbps * BITRATE.videoLowFactor.value ? FAIL : PASS;
  },
  observed: ({ video }) => video.bitrateKbps,
  limit: (facts) => rangeOf(facts)?.minKbps ?? Number.NaN,
  placeholders: (facts) => ({ profile: rangeOf(facts)?.name ?? '' }),
};

/** 6306: 128 kbps of audio are preferred. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.preferred * BIT_RATE.audioPreferredFactor.value;

export const audioBitratePreferred: LiveRule = {
  entry: entry({
    code: 6306,
    type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
    severity: 'warning',
    title: 'Audio bit rate above the preferred one',
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.audioPreferredHoldMs.value)} above ${LIVE.audio.bitrateKbps.preferred} kbps + 10 %.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BIT_RATE.windowMs.value + BIT_RATE.audioPreferredHoldMs.value + 100, text: 'after the rate rose' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bit rate is {observed}; {limit} is preferred.',
  }),
  remedy: 'Set the audio bit rate to 128 kbps.',
  events: AUDIO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.audioPreferredHoldMs.value },
  check({ audio }) {
    const { bitrateKbps } = audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > BOUND_KBPS ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: () => LIVE.audio.bitrateKbps.preferred,
};

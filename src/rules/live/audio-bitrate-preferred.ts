/** 6306: the preferred audio bitrate is 128 kbps. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BITRATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.preferred * BITRATE.audioPreferredFactor.value;

export const audioBitratePreferred: LiveRule = {
  entry: entry({
    code: 6306,
    type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
    severity: 'warning',
    title: 'Audio bitrate above the preferred value',
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The 10 s mean is above ${LIVE.audio.bitrateKbps.preferred} kbps + 10 % for ${seconds(BITRATE.audioPreferredHoldMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BITRATE.windowMs.value + BITRATE.audioPreferredHoldMs.value + 100, text: 'after the bitrate rises' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bitrate is {observed}; {limit} is preferred.',
  }),
  remedy: 'Set the audio bitrate to 128 kbps.',
  events: AUDIO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.audioPreferredHoldMs.value },
  check({ audio }) {
    const { bitrateKbps } = audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > BOUND_KBPS ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: () => LIVE.audio.bitrateKbps.preferred,
};

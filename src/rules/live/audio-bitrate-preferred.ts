/** 6306: the preferred audio bitrate is 128 kbps. */
import { AUDIO_BEAT } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { BITRATE } from '../../spec/tolerances.js';
import { boundsOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const FACTOR = BITRATE.audioPreferredFactor.value;

export const audioBitratePreferred: LiveRule = {
  entry: entry({
    code: 6306,
    type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
    severity: 'warning',
    title: 'Audio bitrate above the preferred value',
    passes: 'Audio bitrate as preferred',
    row: 'audio-bitrate',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The 10 s mean is above ${LIVE.audio.bitrateKbps.preferred} kbps + ${Math.round(100 * (FACTOR - 1))} % for ${seconds(BITRATE.audioPreferredHoldMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BITRATE.windowMs.value + BITRATE.audioPreferredHoldMs.value + 100, text: 'after the bitrate rises' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bitrate is {observed}; {limit} is preferred.',
  }),
  remedy: `Set the audio bitrate to ${LIVE.audio.bitrateKbps.preferred} kbps.`,
  events: AUDIO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.audioPreferredHoldMs.value },
  check(facts) {
    const { bitrateKbps } = facts.audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > boundsOf(facts).audio.bitrateKbps.preferred * FACTOR ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: (facts) => boundsOf(facts).audio.bitrateKbps.preferred,
};

/** 6305: the audio bitrate is at most 256 kbps. */
import { AUDIO_BEAT } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { BITRATE } from '../../spec/tolerances.js';
import { boundsOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const FACTOR = BITRATE.audioHighFactor.value;

export const audioBitrate: LiveRule = {
  entry: entry({
    code: 6305,
    type: 'AUDIO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Audio bitrate above the maximum',
    passes: 'Audio bitrate at most the maximum',
    row: 'audio-bitrate',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The 10 s mean is above ${LIVE.audio.bitrateKbps.max} kbps + ${Math.round(100 * (FACTOR - 1))} % for ${seconds(BITRATE.audioHighHoldMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BITRATE.windowMs.value + BITRATE.audioHighHoldMs.value + 100, text: 'after the bitrate rises' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bitrate is {observed}; the maximum is {limit}.',
  }),
  remedy: `Set the audio bitrate to ${LIVE.audio.bitrateKbps.preferred} kbps.`,
  events: AUDIO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.audioHighHoldMs.value },
  check(facts) {
    const { bitrateKbps } = facts.audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > boundsOf(facts).audio.bitrateKbps.max * FACTOR ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: (facts) => boundsOf(facts).audio.bitrateKbps.max,
};

/** 6305: the audio bitrate is at most 256 kbps. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BITRATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.max * BITRATE.audioHighFactor.value;

export const audioBitrate: LiveRule = {
  entry: entry({
    code: 6305,
    type: 'AUDIO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Audio bitrate above the maximum',
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The 10 s mean is above ${LIVE.audio.bitrateKbps.max} kbps + 5 % for ${seconds(BITRATE.audioHighHoldMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BITRATE.windowMs.value + BITRATE.audioHighHoldMs.value + 100, text: 'after the bitrate rises' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bitrate is {observed}; the maximum is {limit}.',
  }),
  remedy: 'Set the audio bitrate to 128 kbps.',
  events: AUDIO_BEAT,
  whole: true,
  raiseAfter: { holdMs: BITRATE.audioHighHoldMs.value },
  check({ audio }) {
    const { bitrateKbps } = audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > BOUND_KBPS ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: () => LIVE.audio.bitrateKbps.max,
};

/** 6305: the audio's bit rate is at most 256 kbps. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.max * BIT_RATE.audioHighFactor.value;

export const audioBitrate: LiveRule = {
  entry: entry({
    code: 6305,
    type: 'AUDIO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Audio bit rate above the maximum',
    clause: `${CLAUSES.audio}: Bitrate`,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.audioHighHoldMs.value)} above ${LIVE.audio.bitrateKbps.max} kbps + 5 %.`,
    clears: CLEARS.insideWindow,
    delay: { ms: BIT_RATE.windowMs.value + BIT_RATE.audioHighHoldMs.value + 100, text: 'after the rate rose' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bit rate is {observed}; the maximum is {limit}.',
  }),
  remedy: 'Set the audio bit rate to 128 kbps.',
  events: AUDIO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.audioHighHoldMs.value },
  check({ audio }) {
    const { bitrateKbps } = audio;
    if (Number.isNaN(bitrateKbps)) return UNKNOWN;
    return bitrateKbps > BOUND_KBPS ? FAIL : PASS;
  },
  observed: ({ audio }) => audio.bitrateKbps,
  limit: () => LIVE.audio.bitrateKbps.max,
};

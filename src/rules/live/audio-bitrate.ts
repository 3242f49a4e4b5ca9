/** 6305: the audio's bit rate is at most 256 kbps. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { BROKEN, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.max * BIT_RATE.audioHighFactor.value;

export const audioBitRate: LiveRule = {
  code: 6305,
  sees: AUDIO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.audioHighHoldMs.value },
  check({ audio }) {
    const { bitRateKbps } = audio;
    if (Number.isNaN(bitRateKbps)) return UNKNOWN;
    return bitRateKbps > BOUND_KBPS ? BROKEN : KEPT;
  },
  observed: ({ audio }) => audio.bitRateKbps,
  limit: () => LIVE.audio.bitrateKbps.max,
};

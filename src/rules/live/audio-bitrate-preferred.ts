/** 6306: 128 kbps of audio are preferred. */
import { AUDIO_BEAT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BIT_RATE } from '../../spec/tolerances.js';
import { BROKEN, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

const BOUND_KBPS = LIVE.audio.bitrateKbps.preferred * BIT_RATE.audioPreferredFactor.value;

export const audioBitRatePreferred: LiveRule = {
  code: 6306,
  sees: AUDIO_BEAT,
  raiseAfter: { holdMs: BIT_RATE.audioPreferredHoldMs.value },
  check({ audio }) {
    const { bitRateKbps } = audio;
    if (Number.isNaN(bitRateKbps)) return UNKNOWN;
    return bitRateKbps > BOUND_KBPS ? BROKEN : KEPT;
  },
  observed: ({ audio }) => audio.bitRateKbps,
  limit: () => LIVE.audio.bitrateKbps.preferred,
};

/** 6303: the sample rate is 44.1 or 48 kHz. */
import { AUDIO_CONFIG } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

const RATES: readonly number[] = LIVE.audio.sampleRatesHz;

export const audioSampleRate: LiveRule = {
  code: 6303,
  sees: AUDIO_CONFIG,
  check({ audio }) {
    if (!audio.hasSettings) return SKIP;
    return RATES.includes(audio.sampleRate) ? KEPT : BROKEN_NOW;
  },
  observed: ({ audio }) => (audio.hasSettings ? audio.sampleRate : Number.NaN),
  limit: () => RATES.join(' or '),
};

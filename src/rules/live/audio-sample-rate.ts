/** 6303: the sample rate is 44.1 or 48 kHz. */
import { AUDIO_CONFIG } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const RATES: readonly number[] = LIVE.audio.sampleRatesHz;

export const audioSampleRate: LiveRule = {
  entry: entry({
    code: 6303,
    type: 'AUDIO_SAMPLE_RATE_UNSUPPORTED',
    severity: 'error',
    title: 'Audio sample rate is not 44.1 or 48 kHz',
    clause: `${CLAUSES.audio}: Sample rate`,
    raisedWhen: 'The sample rate is not 44.1 or 48 kHz.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'Hz',
    sentence: 'The audio sample rate is {observed}; it must be 44.1 kHz or 48 kHz.',
  }),
  remedy: 'Set the audio sample rate to 48 kHz or 44.1 kHz.',
  events: AUDIO_CONFIG,
  check({ audio }) {
    if (!audio.hasSettings) return SKIP;
    return RATES.includes(audio.sampleRate) ? PASS : FAIL_NOW;
  },
  observed: ({ audio }) => (audio.hasSettings ? audio.sampleRate : Number.NaN),
  limit: () => RATES.join(' or '),
};

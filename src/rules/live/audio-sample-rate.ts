/** 6303: the sample rate is 44.1 or 48 kHz. */
import { AUDIO_CONFIG } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { boundsOf } from '../bounds.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

/** '44.1 kHz or 48 kHz' */
const named = (rates: readonly number[]): string => rates.map((rate) => `${rate / 1000} kHz`).join(' or ');
const SHORT = `${LIVE.audio.sampleRatesHz.map((rate) => rate / 1000).join(' or ')} kHz`;

export const audioSampleRate: LiveRule = {
  entry: entry({
    code: 6303,
    type: 'AUDIO_SAMPLE_RATE_UNSUPPORTED',
    severity: 'error',
    title: `Audio sample rate is not ${SHORT}`,
    passes: 'Audio sample rate',
    row: 'sample-rate',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Sample rate`,
    raisedWhen: `The sample rate is not ${SHORT}.`,
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'Hz',
    sentence: 'The audio sample rate is {observed}; it must be {rates}.',
  }),
  remedy: `Set the audio sample rate to ${named([...LIVE.audio.sampleRatesHz].reverse())}.`,
  events: AUDIO_CONFIG,
  check(facts) {
    const { audio } = facts;
    if (!audio.hasSettings) return SKIP;
    return boundsOf(facts).audio.sampleRatesHz.includes(audio.sampleRate) ? PASS : FAIL_NOW;
  },
  observed: ({ audio }) => (audio.hasSettings ? audio.sampleRate : Number.NaN),
  limit: (facts) => boundsOf(facts).audio.sampleRatesHz.join(' or '),
  placeholders: (facts) => ({ rates: named(boundsOf(facts).audio.sampleRatesHz) }),
};

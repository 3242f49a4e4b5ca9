/** 6308: audio timestamps advance by the frame length. */
import { AUDIO_BEAT } from '../../facts/measures/events.js';
import { ANALYSIS } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const audioTimestampDeviation: LiveRule = {
  entry: analysisEntry({
    code: 6308,
    type: 'AUDIO_TIMESTAMP_DEVIATION',
    severity: 'warning',
    title: 'Audio timestamps do not match the sample rate',
    passes: 'Audio timestamps',
    row: 'timing',
    clause: ADVICE,
    raisedWhen: `More than 5 % of the steps between AAC frames over ${seconds(ANALYSIS.windowMs.value)} differ by more than ${ANALYSIS.audioStepMs.value} ms from the frame length at the sample rate. Gaps are left out.`,
    clears: CLEARS.insideWindow,
    delay: { ms: ANALYSIS.windowMs.value + 1_000, text: 'after the first such step' },
    unit: '%',
    worst: 'highest',
    sentence: '{observed} of the audio timestamps are off the frame length of {length}; up to {limit} are tolerated.',
  }),
  remedy: 'Set the same sample rate in the encoder and in the audio device, and restart the encoder.',
  events: AUDIO_BEAT,
  check({ analysis }) {
    if (Number.isNaN(analysis.audioDeviation)) return UNKNOWN;
    return analysis.audioDeviation > ANALYSIS.audioDeviation.value ? FAIL_NOW : PASS;
  },
  observed: ({ analysis }) => analysis.audioDeviation * 100,
  limit: () => ANALYSIS.audioDeviation.value * 100,
  placeholders({ audio }) {
    const ms = (audio.frameSamples * 1000) / audio.coreSampleRate;
    return { length: `${Number(ms.toFixed(1))} ms` };
  },
};

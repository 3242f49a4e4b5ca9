/** 6804: AAC frames do not repeat. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS } from '../rule.js';

export const audioStuck: LiveRule = {
  entry: analysisEntry({
    code: 6804,
    type: 'AUDIO_STUCK',
    severity: 'warning',
    title: 'Repeated audio',
    passes: 'Audio that changes',
    clause: ADVICE,
    raisedWhen: `At least ${DEAD_AIR.stuckFrames.value} AAC frames in a row that are not silent have the same size and the same first 96 bytes.`,
    clears: { how: 'window', insideMs: DEAD_AIR.soundsMs.value },
    delay: { ms: 1_500, text: 'after the first repeated frame' },
    worst: 'highest',
    sentence: 'The same audio frame was sent {observed} times in a row; up to {limit} occur in normal sound.',
  }),
  remedy: 'Restart the audio device or the encoder: its audio buffer repeats.',
  events: AUDIO_LEVEL,
  check({ analysis: { levels } }) {
    const isStuck = levels.repeats >= DEAD_AIR.stuckFrames.value && levels.lufs >= DEAD_AIR.silentLufs.value;
    return isStuck ? FAIL_NOW : PASS;
  },
  observed: ({ analysis: { levels } }) => levels.repeats,
  limit: () => DEAD_AIR.stuckFrames.value - 1,
};

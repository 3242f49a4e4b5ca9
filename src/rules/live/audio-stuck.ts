/** 6804: AAC frames do not repeat. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, PASS_SO_FAR } from '../rule.js';

/** Encoders repeat the frame that says silence: no repetition is a fault then. */
const isSilent = ({ analysis: { levels } }: StreamFacts): boolean => levels.lufs < DEAD_AIR.silentLufs.value;

export const audioStuck: LiveRule = {
  entry: analysisEntry({
    code: 6804,
    type: 'AUDIO_STUCK',
    severity: 'warning',
    title: 'Repeated audio',
    passes: 'Audio that changes',
    row: 'audio-level',
    clause: ADVICE,
    raisedWhen: `At least ${DEAD_AIR.stuckFrames.value} AAC frames in a row that are not silent have the same size and the same first 96 bytes.`,
    clears: { how: 'window', insideMs: DEAD_AIR.soundsMs.value },
    delay: { ms: 1_500, text: 'after the first repeated frame' },
    worst: 'highest',
    counts: 'frames',
    sentence: 'The same audio frame was sent {observed} times in a row; up to {limit} occur in normal sound.',
  }),
  remedy: 'Restart the audio device or the encoder: its audio buffer repeats.',
  events: AUDIO_LEVEL,
  check(facts) {
    if (isSilent(facts)) return PASS_SO_FAR;
    return facts.analysis.levels.repeats >= DEAD_AIR.stuckFrames.value ? FAIL_NOW : PASS;
  },
  observed: ({ analysis: { levels } }) => levels.repeats,
  passing: (facts) => (isSilent(facts) ? 'silent' : facts.analysis.levels.repeats),
  limit: () => DEAD_AIR.stuckFrames.value - 1,
};

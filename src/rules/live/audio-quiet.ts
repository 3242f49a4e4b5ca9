/** 6805: the audio is loud enough to be heard. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, SKIP } from '../rule.js';

export const audioQuiet: LiveRule = {
  entry: analysisEntry({
    code: 6805,
    type: 'AUDIO_QUIET',
    severity: 'warning',
    title: 'Quiet audio',
    passes: 'Audio loud enough',
    row: 'audio-level',
    clause: ADVICE,
    raisedWhen: `The loudness over three seconds stays below ${DEAD_AIR.quietLufs.value} LUFS for ${seconds(DEAD_AIR.quietMs.value)}. Silence is 6801.`,
    clears: { how: 'window', insideMs: DEAD_AIR.quietClearMs.value },
    delay: { ms: DEAD_AIR.quietMs.value + 4_000, text: 'after the last louder passage' },
    unit: 'LUFS',
    worst: 'lowest',
    sentence: 'The audio is quiet: {observed} over three seconds; it should be above {limit}.',
  }),
  remedy: 'Raise the gain of the microphone or of the source in the audio mixer of the encoder.',
  events: AUDIO_LEVEL,
  raiseAfter: { holdMs: DEAD_AIR.quietMs.value },
  check({ analysis: { levels } }) {
    const lufs = levels.shortTermLufs;
    if (lufs > DEAD_AIR.quietClearsLufs.value) return PASS;
    return lufs < DEAD_AIR.quietLufs.value && lufs >= DEAD_AIR.silentLufs.value ? FAIL : SKIP;
  },
  observed: ({ analysis: { levels } }) => levels.shortTermLufs,
  limit: () => DEAD_AIR.quietLufs.value,
};

/** 6801: the audio is not silent. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS } from '../rule.js';

export const audioSilent: LiveRule = {
  entry: analysisEntry({
    code: 6801,
    type: 'AUDIO_SILENT',
    severity: 'warning',
    title: 'Silent audio',
    passes: 'Audible sound',
    row: 'audio-level',
    clause: ADVICE,
    raisedWhen: `Every sampled AAC frame of ${seconds(DEAD_AIR.silentMs.value)} is below ${DEAD_AIR.silentLufs.value} LUFS, or holds no spectrum at all.`,
    clears: { how: 'window', insideMs: DEAD_AIR.soundsMs.value },
    delay: { ms: DEAD_AIR.silentMs.value + 1_000, text: 'after the last sound' },
    unit: 'LUFS',
    worst: 'lowest',
    sentence: 'The audio is silent: its level is {observed}; sound is above {limit}.',
  }),
  remedy: 'Check in the mixer of the encoder that the audio source is selected, not muted, and shows a level.',
  events: AUDIO_LEVEL,
  raiseAfter: { holdMs: DEAD_AIR.silentMs.value },
  check: ({ analysis: { levels } }) => (levels.lufs < DEAD_AIR.silentLufs.value ? FAIL : PASS),
  observed: ({ analysis: { levels } }) => levels.lufs,
  limit: () => DEAD_AIR.silentLufs.value,
};

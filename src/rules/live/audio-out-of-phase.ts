/** 6803: the channels of a stereo track do not cancel each other in mono. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, SKIP, UNKNOWN } from '../rule.js';

export const audioOutOfPhase: LiveRule = {
  entry: analysisEntry({
    code: 6803,
    type: 'AUDIO_OUT_OF_PHASE',
    severity: 'warning',
    title: 'Channels of opposite phase',
    passes: 'Channels in phase',
    row: 'audio-level',
    clause: ADVICE,
    raisedWhen: `For ${seconds(DEAD_AIR.oppositeMs.value)}, the difference of the stereo channels is more than ${DEAD_AIR.oppositeDb.value} dB above their sum.`,
    clears: { how: 'window', insideMs: DEAD_AIR.soundsMs.value },
    delay: { ms: DEAD_AIR.oppositeMs.value + 1_000, text: 'after the channels turn opposite' },
    unit: 'dB',
    worst: 'highest',
    sentence:
      'The channels cancel each other in mono: their difference is {observed} above their sum; the limit is {limit}.',
  }),
  remedy: 'Correct the polarity of one channel: a balanced output feeds a stereo input, or a cable is miswired.',
  events: AUDIO_LEVEL,
  raiseAfter: { holdMs: DEAD_AIR.oppositeMs.value },
  check({ analysis: { levels } }) {
    if (!levels.isStereo || Number.isNaN(levels.midLufs)) return levels.isStereo ? SKIP : UNKNOWN;
    if (levels.lufs < DEAD_AIR.silentLufs.value) return SKIP;
    return levels.sideLufs > levels.midLufs + DEAD_AIR.oppositeDb.value ? FAIL : PASS;
  },
  observed: ({ analysis: { levels } }) => levels.sideLufs - levels.midLufs,
  limit: () => DEAD_AIR.oppositeDb.value,
};

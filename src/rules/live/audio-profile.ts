/** 6302: the AAC is low complexity, with no extension signalled. What implicit signalling hides is not guessed. */
import { AUDIO_CONFIG } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

/** ISO/IEC 14496-3 Table 1.17 */
const LOW_COMPLEXITY = 2;

export const audioProfile: LiveRule = {
  code: 6302,
  sees: AUDIO_CONFIG,
  check({ audio }) {
    if (!audio.hasSettings || audio.objectTypeName === '') return SKIP;
    return audio.objectType === LOW_COMPLEXITY && !audio.isExtended ? KEPT : BROKEN_NOW;
  },
  observed: ({ audio }) => audio.objectTypeName,
  limit: () => LIVE.audio.codec,
};

/** 6302: the AAC is low complexity without a signaled extension. Implicitly signaled HE-AAC is not detected. */
import { AUDIO_CONFIG } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

/** ISO/IEC 14496-3 Table 1.17 */
const LOW_COMPLEXITY = 2;

export const audioProfile: LiveRule = {
  entry: entry({
    code: 6302,
    type: 'AUDIO_PROFILE_UNSUPPORTED',
    severity: 'error',
    title: 'AAC is not low complexity',
    passes: 'AAC low complexity',
    row: 'audio-codec',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Codec`,
    raisedWhen:
      'The AAC header signals HE-AAC v1 or v2 (explicitly or backward compatibly), Main, LD or any type other than low complexity.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    sentence: 'The audio is {observed}; it must be {limit}.',
  }),
  remedy: 'Set the AAC profile to low complexity (AAC-LC).',
  events: AUDIO_CONFIG,
  check({ audio }) {
    if (!audio.hasSettings || audio.objectTypeName === '') return SKIP;
    return audio.objectType === LOW_COMPLEXITY && !audio.isExtended ? PASS : FAIL_NOW;
  },
  observed: ({ audio }) => audio.objectTypeName,
  limit: () => LIVE.audio.codec,
};

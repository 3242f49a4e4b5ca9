/** 6602: a part of the sound is like a part of a copyright reference. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const copyrightMatch: Rule = {
  entry: entry({
    code: 6602,
    type: 'COPYRIGHT_MATCH',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Sound like that of a reference',
    passes: 'No sound of a reference',
    row: 'copyright',
    clause: 'Not in the published document: a detector compares the sound with that of copyright references',
    raisedWhen:
      'Two windows of 5.3 s differ in at most 15% of their bits from consecutive parts of a reference of another Page.',
    clears: CLEARS.point,
    delay: { ms: 20_000, text: 'of sound since its start, and 2 s to decode it' },
    sentence: 'The sound is like that of {observed}. The broadcast continues; the operator decides what follows.',
    subcode: undefined,
    source: 'service',
  }),
  remedy: 'Stop playing the content, or ask its owner to allow your Page.',
};

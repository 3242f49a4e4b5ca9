/** 6507: the other input stream of a broadcast with two went on air. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const backupOnAir: Rule = {
  entry: entry({
    code: 6507,
    type: 'BACKUP_ON_AIR',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Other input stream on air',
    passes: 'One input stream on air',
    row: 'connection',
    clause: 'Not in the published document: two input streams',
    raisedWhen:
      'The other input stream went on air: the one before was silent for AIRLOCK_BACKUP_AFTER_MS or gone, its owner asked for it, or the primary one returned.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'with the first key frame on air' },
    sentence: 'This input stream went on air: {observed}.',
    source: 'service',
  }),
  remedy: 'Check the encoder and the network of the input stream that was on air before.',
};

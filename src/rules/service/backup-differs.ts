/** 6508: the input stream that stands by has other settings than the one on air. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const backupDiffers: Rule = {
  entry: entry({
    code: 6508,
    type: 'BACKUP_DIFFERS',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Input streams differ',
    passes: 'Both input streams alike',
    row: 'settings',
    clause: 'Not in the published document: two input streams',
    raisedWhen:
      'The input stream that stands by differs from the one on air in codec, profile, size, frame-rate class, sample rate or channels, or by more than a tenth in a bitrate or the key frame interval.',
    clears: CLEARS.settings,
    delay: { ms: 12_000, text: 'when both have been measured' },
    sentence: 'This input stream differs from the one on air: {observed}.',
    hasLists: true,
    source: 'service',
  }),
  remedy: 'Give both encoders the same settings, so that viewers do not notice a switch.',
};

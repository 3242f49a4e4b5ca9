/** 6509: a broadcast has a backup input stream that no encoder publishes to. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const backupAbsent: Rule = {
  entry: entry({
    code: 6509,
    type: 'BACKUP_ABSENT',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Backup absent',
    passes: 'Second input stream connected',
    row: 'connection',
    clause: 'Not in the published document: two input streams',
    raisedWhen: 'The live video has two input streams, and a minute after it went LIVE one of them is not connected.',
    clears: CLEARS.point,
    delay: { ms: 61_000, text: 'after going LIVE' },
    sentence: 'The broadcast has no encoder to fall back on: {observed}.',
    source: 'service',
  }),
  remedy: 'Start the other encoder with the key of its input stream.',
};

/** 6503: the connection closed without an unpublish. */
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const streamInterrupted: Rule = {
  entry: entry({
    code: 6503,
    type: 'STREAM_INTERRUPTED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Connection lost',
    passes: 'Uninterrupted stream',
    row: 'connection',
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: 'The connection closed without an unpublish.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the loss of the connection is detected' },
    sentence: 'The connection closed before the encoder ended the stream ({observed}).',
    source: 'service',
  }),
  remedy: 'Check the network of the encoder.',
};

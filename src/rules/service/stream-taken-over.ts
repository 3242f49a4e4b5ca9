/** 6504: a second connection with the same stream key took over the stream. */
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const streamTakenOver: Rule = {
  entry: entry({
    code: 6504,
    type: 'STREAM_TAKEN_OVER',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Taken over by a second connection',
    passes: 'One encoder',
    row: 'connection',
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: 'A second connection with the same stream key took over from a silent one.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the newer publish is accepted' },
    sentence: 'Another connection took over this stream ({observed}).',
    source: 'service',
  }),
  remedy: 'Use the stream key in one encoder only.',
};

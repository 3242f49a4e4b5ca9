/** 6512: a connection to a target of a forward was lost, or did not come about. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const forwardLost: Rule = {
  entry: entry({
    code: 6512,
    type: 'FORWARD_LOST',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Forward lost',
    passes: 'Connections of forwards hold',
    row: 'connection',
    clause: 'Not in the published document: forwards',
    raisedWhen: 'A connection to a target of a forward was lost, or did not come about; it is tried again.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when it happens' },
    sentence: 'A forward has no connection, {observed}.',
    source: 'service',
    pushed: false,
  }),
  remedy: 'No change in the encoder is needed; check the target and the network between.',
};

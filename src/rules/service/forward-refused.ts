/** 6511: a target of a forward refused the connection or the publish. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const forwardRefused: Rule = {
  entry: entry({
    code: 6511,
    type: 'FORWARD_REFUSED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Forward refused',
    passes: 'Targets of forwards take the stream',
    row: 'connection',
    clause: 'Not in the published document: forwards',
    raisedWhen: 'A target of a forward refused the connection or the publish; it is tried again each minute.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when it happens' },
    sentence: 'A forward was refused, {observed}.',
    source: 'service',
    pushed: false,
  }),
  remedy:
    'No change in the encoder is needed; check the URL and the stream key of the forward, and what the target says.',
};

/** 6601: an operator or a detector stopped the broadcast for a copyright violation. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const copyrightViolation: Rule = {
  entry: entry({
    code: 6601,
    type: 'COPYRIGHT_VIOLATION',
    severity: 'error',
    judgedBy: 'arrival',
    title: 'Stopped for a copyright violation',
    passes: 'No content of another Page',
    row: 'copyright',
    clause: 'Errors, error subcodes: COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
    raisedWhen: 'An operator or a detector stopped the broadcast for a copyright violation.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'with the stop' },
    sentence:
      'The live video was stopped because it may contain audio or visual content that belongs to a different Page.',
    subcode: 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION',
    source: 'service',
  }),
  remedy: 'Remove the content, or dispute the claim with its owner.',
};

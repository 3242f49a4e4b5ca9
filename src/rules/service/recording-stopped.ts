/** 6505: the recording stopped while the broadcast continues. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const recordingStopped: Rule = {
  entry: entry({
    code: 6505,
    type: 'RECORDING_STOPPED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Recording stopped',
    passes: 'Recording runs',
    row: 'recording',
    clause: 'Not in the published document: the service could not record the broadcast',
    raisedWhen:
      'The disk is nearly full or not writable, or the owner has reached its storage limit; the broadcast continues.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the recording stops' },
    sentence: 'The broadcast continues, but its recording stopped: {observed}.',
    source: 'service',
  }),
  remedy: 'No change in the encoder is needed; the operator must free disk space, or the owner must delete videos.',
};

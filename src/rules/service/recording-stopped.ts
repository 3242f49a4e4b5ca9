/** 6505: the recording stopped while the broadcast goes on. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const recordingStopped: Rule = {
  entry: entry({
    code: 6505,
    type: 'RECORDING_STOPPED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Recording stopped',
    clause: 'Not in the published document: the service could not keep the video of the broadcast',
    raisedWhen:
      'The disk is nearly full or cannot be written, or the owner has no room for more bytes; the broadcast continues.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the recording stops' },
    sentence: 'The broadcast continues, but its recording stopped: {observed}.',
    source: 'service',
  }),
  remedy:
    'Nothing has to be changed in the encoder; the operator has to make room on the disk, or the owner has to delete videos.',
};

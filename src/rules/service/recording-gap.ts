/** 6506: frames are missing in the recording. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const recordingGap: Rule = {
  entry: entry({
    code: 6506,
    type: 'RECORDING_GAP',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Frames missing in the recording',
    clause: 'Not in the published document: the service could not keep the whole video of the broadcast',
    raisedWhen: 'The disk cannot keep up with the recording; the broadcast continues.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the first frame is left out' },
    sentence: 'The broadcast continues, but frames are missing in its recording: {observed}.',
    source: 'service',
  }),
  remedy: 'Nothing has to be changed in the encoder; the operator has to use a faster disk, or record less on it.',
};

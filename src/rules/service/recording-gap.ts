/** 6506: frames are missing from the recording. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const recordingGap: Rule = {
  entry: entry({
    code: 6506,
    type: 'RECORDING_GAP',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Frames missing from the recording',
    passes: 'Recording complete',
    row: 'recording',
    clause: 'Not in the published document: the service could not record all of the broadcast',
    raisedWhen:
      'The disk cannot keep up with the recording, or the video is made without a part that the server which received it has not uploaded; the broadcast is not affected.',
    clears: { ...CLEARS.point, except: 'For a missing part: when the video has been made again with it.' },
    delay: { ms: 0, text: 'when the first frame is dropped, or when the video is made without the part' },
    sentence: 'The broadcast is not affected, but frames are missing from its recording: {observed}.',
    source: 'service',
  }),
  remedy:
    'No change in the encoder is needed; the operator must use a faster disk, or start the server that has the part.',
};

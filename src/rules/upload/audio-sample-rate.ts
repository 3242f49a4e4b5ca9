/** 6704: the sample rate is 48 kHz. */
import { UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

export const uploadAudioSampleRate: FileRule = {
  entry: fileEntry({
    code: 6704,
    type: 'UPLOAD_AUDIO_SAMPLE_RATE',
    title: 'Audio sample rate is not 48 kHz',
    passes: 'Audio sample rate',
    clause: `${CLAUSES.upload}: Audio sample rate`,
    raisedWhen: 'The sample rate is not 48 kHz.',
    unit: 'Hz',
    sentence: 'The audio sample rate is {observed}; it must be {limit}.',
  }),
  remedy: 'Export the audio at a sample rate of 48 kHz.',
  check: ({ audio }) =>
    audio === undefined || audio.sampleRate === UPLOAD.audio.sampleRateHz
      ? undefined
      : { observed: audio.sampleRate, limit: UPLOAD.audio.sampleRateHz },
};

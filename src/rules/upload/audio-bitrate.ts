/** 6706: the audio bitrate is at most 256 kbps. */
import { UPLOAD_SLACK } from '../../spec/tolerances.js';
import { UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

const MAX_KBPS = UPLOAD.audio.bitrateKbps.max;

export const uploadAudioBitrate: FileRule = {
  entry: fileEntry({
    code: 6706,
    type: 'UPLOAD_AUDIO_BITRATE',
    title: 'Audio bitrate above the maximum',
    passes: 'Audio bitrate',
    clause: `${CLAUSES.upload}: Audio bitrate`,
    raisedWhen: `The audio bitrate is above ${UPLOAD.audio.bitrateKbps.max} kbps + 5 %.`,
    unit: 'kbps',
    sentence: 'The audio bitrate is {observed}; the maximum is {limit}.',
  }),
  remedy: 'Export the audio at 128 to 256 kbps.',
  check({ audio }) {
    const kbps = audio?.bitrateKbps;
    if (kbps === undefined || kbps <= MAX_KBPS * UPLOAD_SLACK.audioBitrateFactor.value) return undefined;
    return { observed: kbps, limit: MAX_KBPS };
  },
};

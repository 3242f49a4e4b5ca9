/** 6703: the audio is AAC. */
import { UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

/** FFmpeg's names for AAC: raw or ADTS, and LATM. */
const AAC_NAMES = ['aac', 'aac_latm'];

export const uploadAudioCodec: FileRule = {
  entry: fileEntry({
    code: 6703,
    type: 'UPLOAD_AUDIO_CODEC',
    title: 'Audio codec is not AAC',
    passes: 'Audio codec',
    clause: `${CLAUSES.upload}: Audio codec`,
    raisedWhen: 'The audio is not AAC. A file without audio conforms.',
    sentence: 'The audio codec is {observed}; it must be {limit}.',
  }),
  remedy: 'Export the audio as AAC.',
  check: ({ audio }) =>
    audio === undefined || AAC_NAMES.includes(audio.codec)
      ? undefined
      : { observed: audio.codec, limit: UPLOAD.audio.codec },
};

/** Rows 67xx: what an uploaded file breaks. */
import { UPLOAD } from '../../spec/upload.js';
import { type CatalogueEntry, entry } from '../catalogue-entry.js';

const UPLOADED = 'Uploaded video specification';

const file = {
  severity: 'error',
  judgedBy: 'file',
  clears: { how: 'point' },
  delay: { ms: 0, text: 'when the file is probed' },
  subcode: 'VIDEO__CREATE_FAILED',
  source: 'service',
  pushed: false,
} as const;

export const UPLOAD_ERRORS: readonly CatalogueEntry[] = [
  entry({
    ...file,
    code: 6701,
    type: 'UPLOAD_CONTAINER_UNSUPPORTED',
    title: 'Container format is not a listed one',
    clause: `${UPLOADED}: Container formats`,
    raisedWhen: `The content is none of the ${UPLOAD.containers.length} listed container formats; the file name does not count.`,
    sentence: 'The file is {observed}; it must be one of the {limit}.',
  }),
  entry({
    ...file,
    code: 6702,
    type: 'UPLOAD_ASPECT_RATIO',
    title: 'Picture is not 16x9 or 9x16',
    clause: `${UPLOADED}: Aspect ratio`,
    raisedWhen:
      'The shape shown, after rotation and with the sample aspect applied, is more than 1 % off 16:9 and off 9:16.',
    unit: 'ratio',
    sentence: 'The picture is shown as {size}, {observed}:1; it must be {limit}.',
  }),
  entry({
    ...file,
    code: 6703,
    type: 'UPLOAD_AUDIO_CODEC',
    title: 'Audio codec is not AAC',
    clause: `${UPLOADED}: Audio codec`,
    raisedWhen: 'The audio is not AAC. A file without audio is no fault.',
    sentence: 'The audio codec is {observed}; it must be {limit}.',
  }),
  entry({
    ...file,
    code: 6704,
    type: 'UPLOAD_AUDIO_SAMPLE_RATE',
    title: 'Audio sample rate is not 48 kHz',
    clause: `${UPLOADED}: Audio sample rate`,
    raisedWhen: 'The sample rate is not 48 kHz.',
    unit: 'Hz',
    sentence: 'The audio sample rate is {observed}; it must be {limit}.',
  }),
  entry({
    ...file,
    code: 6705,
    type: 'UPLOAD_AUDIO_CHANNELS',
    title: 'Audio is not stereo or mono',
    clause: `${UPLOADED}: Audio channel layout`,
    raisedWhen: 'There are more than two channels.',
    unit: 'channels',
    sentence: 'The audio has {observed}; it must be stereo or mono.',
  }),
  entry({
    ...file,
    code: 6706,
    type: 'UPLOAD_AUDIO_BITRATE',
    title: 'Audio bit rate above the maximum',
    clause: `${UPLOADED}: Audio bitrate`,
    raisedWhen: `The audio bit rate is above ${UPLOAD.audio.bitrateKbps.max} kbps + 5 %.`,
    unit: 'kbps',
    sentence: 'The audio bit rate is {observed}; the maximum is {limit}.',
  }),
  entry({
    ...file,
    code: 6707,
    type: 'UPLOAD_UNREADABLE',
    title: 'File cannot be read',
    clause: `${UPLOADED}: Container formats`,
    raisedWhen: 'The file cannot be probed, or has no video track.',
    sentence: 'The file cannot be read as a video ({observed}).',
  }),
];

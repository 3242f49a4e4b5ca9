/** 6705: the audio is stereo or mono. */
import { UPLOAD } from '../../spec/upload.js';
import { CLAUSES, fileEntry } from '../catalogue-entry.js';
import type { FileRule } from '../rule.js';

const CHANNELS: readonly number[] = UPLOAD.audio.channels;

export const uploadAudioChannels: FileRule = {
  entry: fileEntry({
    code: 6705,
    type: 'UPLOAD_AUDIO_CHANNELS',
    title: 'Audio is not stereo or mono',
    passes: 'Audio channels',
    clause: `${CLAUSES.upload}: Audio channel layout`,
    raisedWhen: 'The audio has more than two channels.',
    unit: 'channels',
    sentence: 'The audio has {observed}; it must be stereo or mono.',
  }),
  remedy: 'Export the audio as stereo or mono.',
  check: ({ audio }) =>
    audio === undefined || CHANNELS.includes(audio.channels)
      ? undefined
      : { observed: audio.channels, limit: Math.max(...CHANNELS) },
};

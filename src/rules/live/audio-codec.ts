/** 6301: the audio codec is AAC. */
import { AUDIO_CONFIG } from '../../facts/events.js';
import { codecName } from '../../spec/codec-names.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const audioCodec: LiveRule = {
  code: 6301,
  sees: AUDIO_CONFIG,
  check({ audio }) {
    if (audio.codec === '') return SKIP;
    return audio.codec === 'mp4a' ? KEPT : BROKEN_NOW;
  },
  observed: ({ audio }) => codecName(audio.codec),
  limit: () => LIVE.audio.codec,
};

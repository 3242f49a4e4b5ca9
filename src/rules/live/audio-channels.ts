/** 6304: the audio is stereo. */
import { AUDIO_CONFIG } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const audioChannels: LiveRule = {
  code: 6304,
  sees: AUDIO_CONFIG,
  check({ audio }) {
    // A header that leaves the layout, or parametric stereo, to the bit stream says nothing about it.
    if (!audio.hasSettings || audio.outputChannels === 0) return SKIP;
    return audio.outputChannels === LIVE.audio.channels ? KEPT : BROKEN_NOW;
  },
  observed: ({ audio }) => (audio.hasSettings && audio.outputChannels > 0 ? audio.outputChannels : Number.NaN),
  limit: () => LIVE.audio.channels,
};

/** 6304: the audio is stereo. */
import { AUDIO_CONFIG } from '../../facts/measures/events.js';
import { boundsOf } from '../bounds.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

export const audioChannels: LiveRule = {
  entry: entry({
    code: 6304,
    type: 'AUDIO_CHANNELS_NOT_STEREO',
    severity: 'error',
    title: 'Audio is not stereo',
    passes: 'Stereo audio',
    row: 'channels',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Channel layout`,
    raisedWhen: 'The channel configuration is not 2. A program config element with one stereo pair counts as stereo.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'channels',
    sentence: 'The audio has {observed}; it must be stereo.',
  }),
  remedy: 'Set the audio to stereo.',
  events: AUDIO_CONFIG,
  check(facts) {
    const { audio } = facts;
    // The header does not determine the output channels (a layout in the bit stream, or possible parametric stereo).
    if (!audio.hasSettings || audio.outputChannels === 0) return SKIP;
    return audio.outputChannels === boundsOf(facts).audio.channels ? PASS : FAIL_NOW;
  },
  observed: ({ audio }) => (audio.hasSettings && audio.outputChannels > 0 ? audio.outputChannels : Number.NaN),
  limit: (facts) => boundsOf(facts).audio.channels,
};

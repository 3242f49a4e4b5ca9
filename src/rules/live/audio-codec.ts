/** 6301: the audio codec is AAC. */
import { AUDIO_CONFIG } from '../../facts/measures/events.js';
import { codecName } from '../../spec/codec-names.js';
import { LIVE } from '../../spec/live.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const NAMES = LIVE.audio.allowed.map(codecName).join(' or ');
const ALLOWED = NAMES === 'AAC' ? LIVE.audio.codec : NAMES;

export const audioCodec: LiveRule = {
  entry: entry({
    code: 6301,
    type: 'AUDIO_CODEC_UNSUPPORTED',
    severity: 'error',
    title: `Audio codec is not ${NAMES}`,
    passes: 'Audio codec',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Codec`,
    raisedWhen: `The audio is not ${NAMES}.`,
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'with the first packet of that codec' },
    sentence: 'The audio codec is {observed}; it must be {limit}.',
  }),
  remedy: `Choose ${NAMES} as the audio encoder.`,
  events: AUDIO_CONFIG,
  check({ audio }) {
    if (audio.codec === '') return SKIP;
    return LIVE.audio.allowed.includes(audio.codec) ? PASS : FAIL_NOW;
  },
  observed: ({ audio }) => codecName(audio.codec),
  limit: () => ALLOWED,
};

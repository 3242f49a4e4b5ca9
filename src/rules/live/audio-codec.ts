/** 6301: the audio codec is AAC. */
import { FLAW_AUDIO_CIPHER, hasFlaw } from '../../facts/analysis-facts.js';
import { AUDIO_CONFIG, FLAW } from '../../facts/measures/events.js';
import { codecName } from '../../spec/codec-names.js';
import { LIVE } from '../../spec/live.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, SKIP } from '../rule.js';

const NAMES = LIVE.audio.allowed.map(codecName).join(' or ');
const ALLOWED = NAMES === 'AAC' ? LIVE.audio.codec : NAMES;

export const audioCodec: LiveRule = {
  entry: entry({
    code: 6301,
    type: 'AUDIO_CODEC_UNSUPPORTED',
    severity: 'error',
    title: `Audio codec is not ${NAMES}`,
    passes: 'Audio codec',
    row: 'audio-codec',
    bounds: ['audio'],
    clause: `${CLAUSES.audio}: Codec`,
    raisedWhen: `The audio is not ${NAMES}. Frames that are invalid in different ways, most of 48 in a row, are encrypted or damaged.`,
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'with the first packet of that codec; after 48 frames that are encrypted' },
    sentence: 'The audio codec is {observed}; it must be {limit}.',
  }),
  remedy: `Choose ${NAMES} as the audio encoder.`,
  events: AUDIO_CONFIG | FLAW,
  check({ analysis, audio }, events) {
    if (hasFlaw(analysis, FLAW_AUDIO_CIPHER)) return FAIL_NOW;
    if (!has(events, AUDIO_CONFIG) || audio.codec === '') return SKIP;
    return LIVE.audio.allowed.includes(audio.codec) ? PASS : FAIL_NOW;
  },
  observed: ({ analysis, audio }) => (analysis.isAudioCiphertext ? analysis.audioCiphertext : codecName(audio.codec)),
  limit: () => ALLOWED,
};

/** 6307: AAC frames are raw frames as configured. */
import { FLAW_AUDIO_SYNTAX, hasFlaw } from '../../facts/analysis-facts.js';
import { AUDIO_BEAT, FLAW } from '../../facts/measures/events.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, SKIP } from '../rule.js';

export const audioSyntaxInvalid: LiveRule = {
  entry: analysisEntry({
    code: 6307,
    type: 'AUDIO_SYNTAX_INVALID',
    severity: 'warning',
    title: 'Invalid AAC frames',
    passes: 'AAC frames intact',
    row: 'audio-frames',
    clause: 'ISO/IEC 14496-3 4.4.2; FLV E.4.2.2',
    raisedWhen:
      'An AAC frame has an ADTS header, starts with another channel element than configured, or has windows or sections that its syntax does not allow. One frame in 16 (in 8 up to 24 kHz) is read to its end: elements, scale factors, and what follows its END. Nearly random frames are 6301.',
    clears: CLEARS.insideWindow,
    delay: {
      ms: 1_200,
      text: 'after the first of frames that are damaged, in the first second; later 400 ms, and none for the start of a frame',
    },
    sentence: 'An AAC frame has {observed}; it must be {limit}.',
  }),
  remedy:
    'Send raw AAC without ADTS headers (in ffmpeg: -bsf:a aac_adtstoasc) and restart the encoder after changing channels.',
  events: FLAW | AUDIO_BEAT,
  failsOn: FLAW,
  check({ analysis, audio }, events) {
    if (has(events, FLAW) && hasFlaw(analysis, FLAW_AUDIO_SYNTAX)) return FAIL_NOW;
    const isKnown = audio.hasSettings && analysis.isAudioSyntaxKnown && !analysis.isAudioCiphertext;
    return has(events, AUDIO_BEAT) && audio.codec === 'mp4a' && isKnown ? PASS : SKIP;
  },
  observed: ({ analysis }) => analysis.syntaxFault,
  passing: () => 'valid raw frames',
  limit: () => 'a valid raw frame',
};

/** 6225: the sequence header precedes the frames. */
import { FLAW_NO_HEADER, hasFlaw } from '../../facts/analysis-facts.js';
import { AUDIO_CONFIG, FLAW, VIDEO_CONFIG } from '../../facts/measures/events.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, SKIP } from '../rule.js';

export const codecHeaderMissing: LiveRule = {
  entry: analysisEntry({
    code: 6225,
    type: 'CODEC_HEADER_MISSING',
    severity: 'warning',
    title: 'Frames before the sequence header',
    passes: 'Sequence header first',
    row: 'bit-stream',
    clause: 'FLV E.4.2.1, E.4.3.1',
    raisedWhen: 'An H.264 or AAC frame arrives before the sequence header of its track; it cannot be decoded.',
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'with the frame' },
    worst: 'highest',
    sentence: '{observed} {track} frames came before the sequence header; {limit} may.',
  }),
  remedy: 'Let the encoder send the sequence headers when it connects; behind a relay, let the relay repeat them.',
  events: FLAW | VIDEO_CONFIG | AUDIO_CONFIG,
  failsOn: FLAW,
  check({ analysis, video, audio }, events) {
    if (has(events, FLAW) && hasFlaw(analysis, FLAW_NO_HEADER)) return FAIL_NOW;
    const hasHeader = analysis.track === 'video' ? video.hasConfig : audio.hasConfig;
    return has(events, VIDEO_CONFIG | AUDIO_CONFIG) && hasHeader ? PASS : SKIP;
  },
  observed: ({ analysis }) => analysis.framesWithoutHeader,
  passing: () => 'the sequence header',
  limit: () => 0,
  placeholders: ({ analysis }) => ({ track: analysis.track }),
};

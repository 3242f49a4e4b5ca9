/** 6402: audio is present within 5 s of the publish and stays present. */
import { AUDIO_FRAME, BEAT, TICK } from '../../facts/measures/events.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import type { LiveRule } from '../rule.js';
import { audioClocks, checkPresence, MISSING_MS, missingMs, missingText } from '../track-presence.js';

export const audioMissing: LiveRule = {
  entry: entry({
    code: 6402,
    type: 'AUDIO_MISSING',
    severity: 'error',
    title: 'No audio',
    passes: 'Audio present',
    row: 'tracks',
    clause: `${CLAUSES.rule} 1`,
    raisedWhen: `No audio frame for ${seconds(TIMING.missingMs.value)} after the publish, or video decode time runs more than ${seconds(TIMING.missingMs.value)} ahead of the last audio frame.`,
    clears: CLEARS.flows,
    delay: { ms: TIMING.missingMs.value + 100, text: 'after the last audio frame, or after the publish' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'No audio {since}; the stream must carry both audio and video.',
  }),
  remedy: 'Check that an audio source is active; silence must be encoded too.',
  events: BEAT | TICK,
  whole: true,
  check: (facts, events) => checkPresence(facts, events, audioClocks(facts), AUDIO_FRAME),
  observed: (facts) => missingMs(facts, audioClocks(facts)),
  limit: () => MISSING_MS,
  placeholders: (facts) => missingText(facts, audioClocks(facts)),
};

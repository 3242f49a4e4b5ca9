/** 6401: video is present within 5 s of the publish and stays present. */
import { BEAT, TICK, VIDEO_FRAME } from '../../facts/measures/events.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import type { LiveRule } from '../rule.js';
import { checkPresence, MISSING_MS, missingMs, missingText, videoClocks } from '../track-presence.js';

export const videoMissing: LiveRule = {
  entry: entry({
    code: 6401,
    type: 'VIDEO_MISSING',
    severity: 'error',
    title: 'No video',
    passes: 'Video present',
    row: 'tracks',
    clause: `${CLAUSES.rule} 1`,
    raisedWhen: `No video frame for ${seconds(TIMING.missingMs.value)} after the publish, or audio decode time runs more than ${seconds(TIMING.missingMs.value)} ahead of the last video frame.`,
    clears: CLEARS.flows,
    delay: { ms: TIMING.missingMs.value + 100, text: 'after the last video frame, or after the publish' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'No video {since}; the stream must carry both audio and video.',
  }),
  remedy: 'Check that a video source and a video encoder are active.',
  events: BEAT | TICK,
  whole: true,
  check: (facts, events) => checkPresence(facts, events, videoClocks(facts), VIDEO_FRAME),
  observed: (facts) => missingMs(facts, videoClocks(facts)),
  limit: () => MISSING_MS,
  placeholders: (facts) => missingText(facts, videoClocks(facts)),
};

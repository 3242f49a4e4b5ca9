/** 6903: the send queue of the encoder is full, and it drops video frames. */
import { PERFORMANCE, SECOND } from '../../facts/measures/events.js';
import { CAUSES } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { dropShare, isCause, uplinkNumbers } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const senderDropsFrames: LiveRule = {
  entry: analysisEntry({
    code: 6903,
    type: 'SENDER_DROPS_FRAMES',
    severity: 'warning',
    judgedBy: 'both',
    title: 'Encoder drops frames before sending',
    passes: 'No frames dropped before sending',
    row: 'cause',
    explains: ['STREAM_STARVED', 'FRAMES_DROPPED', 'TIMESTAMP_JITTER', 'VIDEO_FRAME_RATE_UNSUPPORTED'],
    clause: ADVICE,
    raisedWhen: `More than 2 % of the video frames are missing over ${seconds(CAUSES.windowMs.value)} while the audio is whole and the lag reaches 500 ms, or the encoder reports that its send queue dropped as many.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 12_000, text: 'after the first dropped frame' },
    unit: '%',
    worst: 'highest',
    sentence: 'The encoder drops {observed} of its video frames before sending; up to {limit} is tolerated.',
  }),
  remedy: 'Lower the video bitrate to {target}, or use a faster or wired uplink.',
  events: SECOND | PERFORMANCE,
  check: (facts) => isCause(facts, 'sender drops'),
  observed: (facts) => dropShare(facts) * 100,
  limit: () => CAUSES.share.value * 100,
  placeholders: (facts) => uplinkNumbers(facts),
};

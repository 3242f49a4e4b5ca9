/** 6904: the encoder adapts its bitrate to the network. */
import { SECOND } from '../../facts/measures/events.js';
import { ADVICE, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { bitrateBefore, isCause, STEP_SECONDS } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const bitrateLowered: LiveRule = {
  entry: analysisEntry({
    code: 6904,
    type: 'BITRATE_LOWERED',
    severity: 'info',
    judgedBy: 'arrival',
    title: 'Encoder lowered its bitrate',
    passes: 'Steady bitrate',
    row: 'cause',
    explains: ['VIDEO_BITRATE_TOO_LOW'],
    clause: ADVICE,
    raisedWhen:
      'After a lag of more than 300 ms, the bitrate of 5 s is below 0.75 times that of an earlier 10 s of the last minute, with a QP higher by at least 2, no frames missing, and the lag is gone.',
    clears: CLEARS.insideWindow,
    delay: { ms: 7_000, text: 'after the bitrate falls' },
    unit: 'kbps',
    worst: 'lowest',
    sentence: 'The encoder lowered its bitrate from {limit} to {observed}.',
  }),
  remedy: 'None if the picture is good enough; otherwise use a faster or wired uplink.',
  events: SECOND,
  check: (facts) => isCause(facts, 'lowered'),
  observed: ({ delivery }) => delivery.codedKbps(STEP_SECONDS),
  limit: ({ delivery }) => bitrateBefore(delivery),
};

/** 6901: nothing arrived for a time, and its media came afterwards. */
import { SECOND } from '../../facts/measures/events.js';
import { ADVICE, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { interruption, isCause } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const networkOutage: LiveRule = {
  entry: analysisEntry({
    code: 6901,
    type: 'NETWORK_OUTAGE',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Connection interrupted',
    passes: 'Uninterrupted connection',
    row: 'cause',
    explains: ['STREAM_STARVED', 'FRAMES_DROPPED', 'VIDEO_MISSING', 'AUDIO_MISSING'],
    clause: ADVICE,
    raisedWhen:
      'Nothing arrives for more than 2 s; then the media of that time follows faster than real time, with unbroken timestamps. Or pauses of 200 ms or more fill 1 s of 10 s while packets are lost (Linux, with ss of iproute2).',
    clears: CLEARS.insideWindow,
    delay: { ms: 15_000, text: 'after the first lost packet; 11.1 s after a single interruption' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The connection was interrupted for {observed}{manner}; up to {limit} is tolerated.',
  }),
  remedy: 'Use a wired connection, and check the network between the encoder and the server.',
  events: SECOND,
  check: (facts) => isCause(facts, 'outage'),
  observed: (facts) => interruption(facts).ms,
  limit: (facts) => interruption(facts).limitMs,
  placeholders: (facts) => ({ manner: interruption(facts).manner }),
};

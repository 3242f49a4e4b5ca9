/** 6901: nothing arrived for a time, and its media came afterwards. */
import { SECOND } from '../../facts/events.js';
import { ADVICE, analysisEntry, CLEARS } from '../catalogue-entry.js';
import { isCause } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const networkOutage: LiveRule = {
  entry: analysisEntry({
    code: 6901,
    type: 'NETWORK_OUTAGE',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Connection interrupted',
    clause: ADVICE,
    raisedWhen:
      'Nothing arrives for more than 2 s; then the media of that time follows faster than real time, with unbroken timestamps.',
    clears: CLEARS.insideWindow,
    delay: { ms: 11_100, text: 'after data flows again' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The connection was interrupted for {observed}; up to {limit} is tolerated.',
  }),
  remedy: 'Use a wired connection, and check the network between the encoder and the server.',
  events: SECOND,
  check: (facts) => isCause(facts, 6901),
  observed: ({ delivery }) => delivery.gapMs,
  limit: () => 2000,
};

/** 6216: one audio and one video track, without the multitrack form of Enhanced RTMP, which older FLV readers cannot play. */
import { BEAT, MULTITRACK } from '../../facts/events.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS } from '../rule.js';

const ONE = 'one of each kind';

export const multipleTracks: LiveRule = {
  entry: entry({
    code: 6216,
    type: 'MULTIPLE_TRACKS',
    severity: 'warning',
    title: 'Multitrack form of Enhanced RTMP',
    clause: `${CLAUSES.rule} 1`,
    raisedWhen:
      'The encoder uses the multitrack form of Enhanced RTMP, even for a single track. Only the first track is judged and recorded.',
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the first packet of that form' },
    sentence: 'The encoder uses the {observed}; only {limit} is used.',
  }),
  remedy: 'Turn off multitrack video and additional audio tracks.',
  events: MULTITRACK | BEAT,
  check: (_facts, events) => (has(events, MULTITRACK) ? FAIL_NOW : PASS),
  observed: (facts) => (facts.hasSeveralTracks ? 'multitrack form of Enhanced RTMP' : ONE),
  limit: (facts) => (facts.hasSeveralTracks ? 'the first track' : ONE),
};

/** 6101: the protocol is RTMPS. */
import { CONNECT, DISCONNECT } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, SKIP } from '../rule.js';

export const protocol: LiveRule = {
  entry: entry({
    code: 6101,
    type: 'PROTOCOL_NOT_RTMPS',
    severity: 'error',
    judgedBy: 'arrival',
    title: 'Published without TLS',
    passes: 'Encrypted connection',
    row: 'protocol',
    clause: `${CLAUSES.video}: Protocol`,
    raisedWhen: 'The stream is published over plain RTMP without a trusted TLS proxy in front.',
    clears: CLEARS.connection,
    delay: { ms: 0, text: 'when the publish is accepted' },
    sentence: 'The stream uses {observed}; the protocol must be {limit}.',
    source: 'service',
  }),
  remedy: 'Use the rtmps:// address in the encoder.',
  events: CONNECT | DISCONNECT,
  check(facts, events) {
    if (!facts.isLiveMode) return SKIP;
    if (has(events, DISCONNECT)) return PASS;
    return facts.isSecure ? PASS : FAIL_NOW;
  },
  observed: (facts) => (facts.isSecure ? LIVE.protocol : 'plain RTMP'),
  limit: () => LIVE.protocol,
};

/** 6101: the protocol is RTMPS. */
import { CONNECT, DISCONNECT } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, has, KEPT, type LiveRule, SKIP } from '../rule.js';

export const protocol: LiveRule = {
  code: 6101,
  sees: CONNECT | DISCONNECT,
  check(facts, events) {
    if (!facts.isLiveMode) return SKIP;
    if (has(events, DISCONNECT)) return KEPT;
    return facts.isSecure ? KEPT : BROKEN_NOW;
  },
  observed: (facts) => (facts.isSecure ? LIVE.protocol : 'plain RTMP'),
  limit: () => LIVE.protocol,
};

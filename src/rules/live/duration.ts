/** 6501 and 6502: the broadcast, or the preview, is at most 8 hours long, by the clock and by media. */
import { BEAT, CONNECT, END, TICK } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { LIVE } from '../../spec/live.js';
import { DURATION } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule } from '../rule.js';

function elapsedMs(facts: StreamFacts): number {
  return facts.isLiveMode ? Math.max(facts.elapsedMediaMs, facts.elapsedWallMs) : facts.elapsedMediaMs;
}

export const durationExceeded: LiveRule = {
  code: 6501,
  sees: BEAT | TICK | CONNECT | END,
  once: true,
  check: (facts) => (elapsedMs(facts) > LIVE.duration.maxMs ? BROKEN_NOW : KEPT),
  observed: elapsedMs,
  limit: () => LIVE.duration.maxMs,
};

export const durationNearLimit: LiveRule = {
  code: 6502,
  sees: BEAT | TICK | CONNECT | END,
  once: true,
  check: (facts) => (elapsedMs(facts) >= DURATION.nearLimitMs.value ? BROKEN_NOW : KEPT),
  observed: elapsedMs,
  limit: () => LIVE.duration.maxMs,
};

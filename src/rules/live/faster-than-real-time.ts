/** 6407: media does not run away from the clock, as a file sent at full speed does. */
import { BEAT, TICK } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { TIMING } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

function growthMs({ arrival }: StreamFacts): number {
  return arrival.baselineLeadMs === undefined ? Number.NaN : arrival.leadMs - arrival.baselineLeadMs;
}

export const fasterThanRealTime: LiveRule = {
  code: 6407,
  sees: BEAT | TICK,
  check(facts) {
    if (!facts.isLiveMode || facts.arrival.baselineLeadMs === undefined) return SKIP;
    return growthMs(facts) > TIMING.leadMs.value ? BROKEN_NOW : KEPT;
  },
  observed: growthMs,
  limit: () => TIMING.leadMs.value,
};

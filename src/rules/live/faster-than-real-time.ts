/** 6407: media arrives no faster than real time. */
import { BEAT, TICK } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

function growthMs({ arrival }: StreamFacts): number {
  return arrival.baselineLeadMs === undefined ? Number.NaN : arrival.leadMs - arrival.baselineLeadMs;
}

export const fasterThanRealTime: LiveRule = {
  entry: entry({
    code: 6407,
    type: 'FASTER_THAN_REAL_TIME',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Media arrives faster than real time',
    passes: 'Media arrives in real time',
    row: 'delivery',
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `The lead of media time over the clock exceeds that of the first ${seconds(TIMING.leadBaselineMs.value)} by ${seconds(TIMING.leadMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 100, text: 'after the lead passes the bound' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The media is {observed} ahead of real time; at most {limit} is allowed.',
  }),
  remedy: 'Send the media in real time.',
  events: BEAT | TICK,
  check(facts) {
    if (!facts.isLiveMode || facts.arrival.baselineLeadMs === undefined) return SKIP;
    return growthMs(facts) > TIMING.leadMs.value ? FAIL_NOW : PASS;
  },
  observed: growthMs,
  limit: () => TIMING.leadMs.value,
};

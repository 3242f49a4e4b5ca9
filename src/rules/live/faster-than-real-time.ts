/** 6407: media does not run away from the clock, as a file sent at full speed does. */
import { BEAT, TICK } from '../../facts/events.js';
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
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `Media runs ahead of the clock by ${seconds(TIMING.leadMs.value)} more than in the first ${seconds(TIMING.leadBaselineMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 100, text: 'after the lead passed the bound' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The media is {observed} ahead of the clock; more than {limit} is no live stream.',
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

/** 6406: media arrives no slower than real time. */
import { BEAT, TICK } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, PASS_SO_FAR, SKIP } from '../rule.js';

function isSilent({ arrival }: StreamFacts): boolean {
  return arrival.nowAtMs - arrival.lastPacketAtMs > TIMING.silenceMs.value;
}

export const starved: LiveRule = {
  entry: entry({
    code: 6406,
    type: 'STREAM_STARVED',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Media arrives too slowly',
    passes: 'Media arrives in time',
    row: 'delivery',
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `Less than ${TIMING.starvedRatio.value} s of media per second arrives over ${seconds(TIMING.starvedWindowMs.value)}, or nothing for ${seconds(TIMING.silenceMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: TIMING.starvedWindowMs.value + 1_100, text: 'after the stream slows down; 5.1 s after it stops' },
    unit: 'ratio',
    worst: 'lowest',
    sentence: 'Only {observed} s of media arrives per second ({over}); at least {limit} is needed.',
  }),
  remedy: 'Lower the bitrate, or use a faster or wired uplink.',
  events: TICK | BEAT,
  check(facts) {
    const { arrival } = facts;
    if (!facts.isLiveMode || !arrival.connected) return SKIP;
    if (isSilent(facts)) return FAIL_NOW;
    if (Number.isNaN(arrival.ratio)) return PASS_SO_FAR;
    return arrival.ratio < TIMING.starvedRatio.value ? FAIL_NOW : PASS;
  },
  observed: (facts) => (isSilent(facts) ? 0 : facts.arrival.ratio),
  limit: () => TIMING.starvedRatio.value,
  placeholders: (facts) => ({
    over: isSilent(facts)
      ? `nothing for ${TIMING.silenceMs.value / 1000} s`
      : `over ${TIMING.starvedWindowMs.value / 1000} s`,
  }),
};

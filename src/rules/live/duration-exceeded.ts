/** 6501: the broadcast, or the preview, lasts at most 8 hours, both by the clock and by media time. */
import { BEAT, CONNECT, END, TICK } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { LIVE } from '../../spec/live.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS } from '../rule.js';

export function elapsedMs(facts: StreamFacts): number {
  return facts.isLiveMode ? Math.max(facts.elapsedMediaMs, facts.elapsedWallMs) : facts.elapsedMediaMs;
}

export const durationExceeded: LiveRule = {
  entry: entry({
    code: 6501,
    type: 'DURATION_EXCEEDED',
    severity: 'error',
    judgedBy: 'both',
    title: `Longer than ${LIVE.duration.maxHours} hours`,
    passes: 'At most 8 hours',
    row: 'duration',
    clause: `${CLAUSES.rule} 2`,
    raisedWhen: `More than ${LIVE.duration.maxMs} ms of broadcast by the clock (including interruptions) or by media time. Ends the broadcast.`,
    clears: CLEARS.point,
    delay: { ms: 100, text: 'after the limit' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The broadcast has reached the limit of {limit} and has ended.',
  }),
  remedy: 'Start a new broadcast to continue.',
  events: BEAT | TICK | CONNECT | END,
  once: true,
  check: (facts) => (elapsedMs(facts) > LIVE.duration.maxMs ? FAIL_NOW : PASS),
  observed: elapsedMs,
  limit: () => LIVE.duration.maxMs,
};

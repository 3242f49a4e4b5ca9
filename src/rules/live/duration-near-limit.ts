/** 6502: warns the encoder 15 minutes before the limit of 6501. */
import { BEAT, CONNECT, END, TICK } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { DURATION } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS } from '../rule.js';
import { elapsedMs } from './duration-exceeded.js';

/** The moment of the notice: 7 h 45 min as published. */
const NEAR_MS = Math.max(0, LIVE.duration.maxMs - DURATION.noticeMs.value);
const SHOWN = `${Math.floor(NEAR_MS / 3_600_000)} h ${Math.round((NEAR_MS % 3_600_000) / 60_000)} min`;

export const durationNearLimit: LiveRule = {
  entry: entry({
    code: 6502,
    type: 'DURATION_NEAR_LIMIT',
    severity: 'warning',
    judgedBy: 'both',
    title: `Close to ${LIVE.duration.maxHours} hours`,
    passes: 'Below 7 h 45 min',
    row: 'duration',
    clause: `${CLAUSES.rule} 2`,
    raisedWhen: `${NEAR_MS} ms (${SHOWN}) of broadcast by the clock or by media time.`,
    clears: CLEARS.point,
    delay: { ms: 100, text: `after ${SHOWN}` },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The broadcast has run for {observed}; it will end at {limit}.',
  }),
  remedy: 'Finish the broadcast, or plan a new one.',
  events: BEAT | TICK | CONNECT | END,
  once: true,
  check: (facts) => (elapsedMs(facts) >= NEAR_MS ? FAIL_NOW : PASS),
  observed: elapsedMs,
  limit: () => LIVE.duration.maxMs,
};

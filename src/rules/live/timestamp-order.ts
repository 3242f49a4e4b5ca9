/** 6404: decode times do not go back or jump forward. */
import { BEAT, DISORDER } from '../../facts/measures/events.js';
import { MEASURES } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS } from '../rule.js';

export const timestampOrder: LiveRule = {
  entry: entry({
    code: 6404,
    type: 'TIMESTAMP_DISORDER',
    severity: 'warning',
    title: 'Timestamps jump or go back',
    passes: 'Timestamps in order',
    row: 'timestamps',
    perTrack: true,
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `The decode time of a coded frame goes back, or jumps more than ${seconds(MEASURES.advanceCapMs.value)} forward (unless the other track covered that time).`,
    clears: CLEARS.point,
    delay: { ms: 0, text: 'with the frame' },
    unit: 'ms',
    worst: 'farthest-from-zero',
    sentence: 'The {track} timestamp moved by {observed} between two frames; it must rise by at most {limit}.',
  }),
  remedy: 'Restart the encoder; check the clocks of its sources.',
  events: DISORDER | BEAT,
  check: (_facts, events) => (has(events, DISORDER) ? FAIL_NOW : PASS),
  observed: ({ disorderStepMs }) => disorderStepMs,
  limit: () => MEASURES.advanceCapMs.value,
  placeholders: ({ disorderTrack }) => ({ track: disorderTrack }),
};

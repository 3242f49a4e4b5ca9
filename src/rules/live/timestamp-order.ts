/** 6404: decode times rise, and not by leaps. */
import { BEAT, DISORDER } from '../../facts/events.js';
import { MEASURES } from '../../spec/tolerances.js';
import { BROKEN_NOW, has, KEPT, type LiveRule } from '../rule.js';

export const timestampOrder: LiveRule = {
  code: 6404,
  sees: DISORDER | BEAT,
  check: (_facts, events) => (has(events, DISORDER) ? BROKEN_NOW : KEPT),
  observed: ({ disorderStepMs }) => disorderStepMs,
  limit: () => MEASURES.advanceCapMs.value,
  words: ({ disorderTrack }) => ({ track: disorderTrack }),
};

/** The order that shows the worst broadcast first. Pure. */
import type { BroadcastState, FeedState } from './feed-state.js';
import { onAirOf } from './inputs.js';
import { openCounts } from './verdicts.js';

/** Errors weigh more than any number of warnings. */
export function badness({ records, health }: Pick<BroadcastState, 'records' | 'health'>, nowMs = Date.now()): number {
  const { errors, warnings } = openCounts(records.values(), onAirOf(health), nowMs);
  return errors * 1_000 + warnings;
}

/** A broadcast that has lost its encoder is worse than one that breaks a rule. */
const LOST = 1_000_000;

export function worstFirst({ broadcasts }: FeedState, ids: Iterable<string>, nowMs = Date.now()): readonly string[] {
  return [...ids]
    .flatMap((id) => {
      const held = broadcasts.get(id);
      if (held?.view === undefined) return [];
      const isLost = held.view.status === 'LIVE' && held.view.stream_state === 'interrupted';
      return [{ id, worth: badness(held, nowMs) + (isLost && held.view.encoder_stopped !== true ? LOST : 0) }];
    })
    .sort((a, b) => b.worth - a.worth || Number(a.id) - Number(b.id))
    .map(({ id }) => id);
}

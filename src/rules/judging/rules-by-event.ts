/** Which rules an event concerns. */
import { LIVE_RULES } from '../registry/rules.js';

/** Events that any rule looks at. */
export const SEEN_BY_RULES = LIVE_RULES.reduce((seen, rule) => seen | rule.sees, 0);

const BY_EVENTS = new Map<number, readonly number[]>();

/** Places in `LIVE_RULES` of the rules that look at any of the events. Few combinations of events occur, so each is worked out once. */
export function rulesFor(events: number): readonly number[] {
  let places = BY_EVENTS.get(events);
  if (places === undefined) {
    places = LIVE_RULES.flatMap((rule, place) => ((rule.sees & events) !== 0 ? [place] : []));
    BY_EVENTS.set(events, places);
  }
  return places;
}

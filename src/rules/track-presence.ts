/** Presence of a track, for the rules on missing tracks (6401 and 6402). */

import type { TrackClock } from '../facts/measures/track-clock.js';
import type { StreamFacts } from '../facts/stream-facts.js';
import { CLEARING, TIMING } from '../spec/tolerances.js';
import { FAIL_NOW, has, type Outcome, PASS, SKIP } from './rule.js';

export const MISSING_MS = TIMING.missingMs.value;
const FLOWS_MS = CLEARING.flowsMs.value;

type Clocks = (facts: StreamFacts) => { readonly own: TrackClock; readonly other: TrackClock };

export const videoClocks: Clocks = ({ video, audio }) => ({ own: video.clock, other: audio.clock });
export const audioClocks: Clocks = ({ video, audio }) => ({ own: audio.clock, other: video.clock });

/** How long the track has been missing: measured by the other track, and before its first frame also by the clock. */
export function missingMs(facts: StreamFacts, { own, other }: ReturnType<Clocks>): number {
  if (!own.started) {
    const { arrival } = facts;
    const sincePublishMs = facts.isLiveMode && arrival.connected ? arrival.nowAtMs - arrival.connectedAtMs : 0;
    return Math.max(own.silentMs, sincePublishMs);
  }
  // A flowing track is not missing, however far behind its timestamps are; after a jump they cannot be compared.
  if (!own.isSilent) return 0;
  return other.hasJustJumped ? own.silentMs : other.dtsMs - own.dtsMs;
}

/** For the sentence: in a file without a frame of the track nothing measures for how long it is missing. */
export function missingText(facts: StreamFacts, { own }: ReturnType<Clocks>): { readonly since: string } {
  return { since: facts.isWholeFile && !own.started ? 'since the start' : 'for {observed}' };
}

/** `ownFrame`: event of a frame of this track. */
export function checkPresence(
  facts: StreamFacts,
  events: number,
  clocks: ReturnType<Clocks>,
  ownFrame: number,
): Outcome {
  const { own } = clocks;
  if (missingMs(facts, clocks) > MISSING_MS) return FAIL_NOW;
  if (facts.isWholeFile && !own.started) return FAIL_NOW;
  if (!own.started || own.isSilent) return SKIP;
  if (facts.isWholeFile) return PASS;
  return has(events, ownFrame) && own.flowsForMs >= FLOWS_MS ? PASS : SKIP;
}

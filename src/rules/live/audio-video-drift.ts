/** 6405: audio and video are within a second of each other. */
import { BEAT } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { TIMING } from '../../spec/tolerances.js';
import { BROKEN, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

/** Positive when the video is ahead; NaN while one track is missing or has just jumped. */
function leadMs({ video, audio }: StreamFacts): number {
  const { clock: v } = video;
  const { clock: a } = audio;
  if (!v.started || !a.started || v.isSilent || a.isSilent || v.hasJustJumped || a.hasJustJumped) return Number.NaN;
  return v.dtsMs - a.dtsMs;
}

export const audioVideoDrift: LiveRule = {
  code: 6405,
  sees: BEAT,
  raiseAfter: { holdMs: TIMING.driftHoldMs.value },
  check(facts) {
    const lead = leadMs(facts);
    if (Number.isNaN(lead)) return UNKNOWN;
    return Math.abs(lead) > TIMING.driftMs.value ? BROKEN : KEPT;
  },
  observed: leadMs,
  limit: () => TIMING.driftMs.value,
  words(facts) {
    const lead = leadMs(facts);
    return { apart: `${Number((Math.abs(lead) / 1000).toFixed(2))} s ${lead > 0 ? 'ahead of' : 'behind'}` };
  },
};

/** 6405: audio and video are within one second of each other. */
import { BEAT } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

/** Positive when the video is ahead; NaN while a track is missing or has just jumped. */
function leadMs({ video, audio }: StreamFacts): number {
  const { clock: v } = video;
  const { clock: a } = audio;
  if (!v.started || !a.started || v.isSilent || a.isSilent || v.hasJustJumped || a.hasJustJumped) return Number.NaN;
  return v.dtsMs - a.dtsMs;
}

export const audioVideoDrift: LiveRule = {
  entry: entry({
    code: 6405,
    type: 'AUDIO_VIDEO_DRIFT',
    severity: 'warning',
    title: 'Audio and video out of sync',
    passes: 'Audio and video in sync',
    row: 'timestamps',
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `The tracks differ by more than ${seconds(TIMING.driftMs.value)} for ${seconds(TIMING.driftHoldMs.value)} while both flow.`,
    clears: CLEARS.insideWindow,
    delay: { ms: TIMING.driftHoldMs.value + 100, text: 'after the tracks drift apart' },
    unit: 'ms',
    worst: 'farthest-from-zero',
    sentence: 'The video is {apart} the audio; they must be within {limit}.',
  }),
  remedy: 'Check the sync offset of the audio source and restart the encoder.',
  events: BEAT,
  whole: true,
  raiseAfter: { holdMs: TIMING.driftHoldMs.value },
  check(facts) {
    const lead = leadMs(facts);
    if (Number.isNaN(lead)) return UNKNOWN;
    return Math.abs(lead) > TIMING.driftMs.value ? FAIL : PASS;
  },
  observed: leadMs,
  limit: () => TIMING.driftMs.value,
  placeholders(facts) {
    const lead = leadMs(facts);
    return { apart: `${Number((Math.abs(lead) / 1000).toFixed(2))} s ${lead > 0 ? 'ahead of' : 'behind'}` };
  },
};

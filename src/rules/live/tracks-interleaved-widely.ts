/** 6409: packets of both tracks arrive in the order of their time. */
import { BEAT } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { ANALYSIS } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

function apartMs({ video, audio, analysis }: StreamFacts): number {
  if (!video.clock.started || !audio.clock.started || video.clock.isSilent || audio.clock.isSilent) return Number.NaN;
  return analysis.interleave.apartMs(ANALYSIS.interleaveMs.value);
}

export const tracksInterleavedWidely: LiveRule = {
  entry: analysisEntry({
    code: 6409,
    type: 'TRACKS_INTERLEAVED_WIDELY',
    severity: 'warning',
    title: 'Audio and video arrive in large blocks',
    passes: 'Tracks interleaved',
    row: 'timing',
    clause: ADVICE,
    raisedWhen: `For ${seconds(ANALYSIS.interleaveHoldMs.value)}, packets of one track keep arriving more than ${seconds(ANALYSIS.interleaveMs.value)} behind packets of the other that were sent before them. A constant offset is 6405.`,
    clears: CLEARS.insideWindow,
    delay: { ms: ANALYSIS.interleaveHoldMs.value + 2_000, text: 'after the tracks are sent in blocks' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'Packets of one track arrive {observed} behind those of the other; they must be within {limit}.',
  }),
  remedy:
    'Let the encoder send both tracks in the order of their timestamps (in ffmpeg: a smaller -max_interleave_delta).',
  events: BEAT,
  raiseAfter: { holdMs: ANALYSIS.interleaveHoldMs.value },
  check(facts) {
    const ms = apartMs(facts);
    if (Number.isNaN(ms)) return UNKNOWN;
    return ms > ANALYSIS.interleaveMs.value ? FAIL : PASS;
  },
  observed: apartMs,
  limit: () => ANALYSIS.interleaveMs.value,
};

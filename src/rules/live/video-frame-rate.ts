/** 6206: at most 60 fps, or 30 fps at sizes listed at 30 fps only. */
import { VIDEO_BEAT } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { FRAME_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { isListedAt30Only } from '../profile.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

function is30Only({ video }: StreamFacts): boolean {
  return video.hasParameterSets && isListedAt30Only(video.width, video.height);
}

export const videoFrameRate: LiveRule = {
  entry: entry({
    code: 6206,
    type: 'VIDEO_FRAME_RATE_UNSUPPORTED',
    severity: 'error',
    title: 'Frame rate too high',
    clause: CLAUSES.profiles,
    raisedWhen: `The ${seconds(FRAME_RATE.meanMs.value)} mean is above ${FRAME_RATE.maxFps.value} fps for ${seconds(FRAME_RATE.holdMs.value)}, or above ${FRAME_RATE.maxFpsAt30Only.value} fps at a size listed at 30 fps only.`,
    clears: CLEARS.insideWindow,
    delay: { ms: FRAME_RATE.meanMs.value + FRAME_RATE.holdMs.value + 100, text: 'after the frame rate rises' },
    unit: 'fps',
    worst: 'highest',
    sentence: 'The frame rate is {observed}; the maximum for {size} is {limit}.',
  }),
  remedy: 'Set the frame rate to 30 or 60 fps (30 for 480p).',
  events: VIDEO_BEAT,
  whole: true,
  raiseAfter: { holdMs: FRAME_RATE.holdMs.value },
  check(facts) {
    const fps = facts.video.rate.meanFps;
    if (fps === 0) return UNKNOWN;
    if (fps <= FRAME_RATE.maxFpsAt30Only.value) return PASS;
    return fps > FRAME_RATE.maxFps.value || is30Only(facts) ? FAIL : PASS;
  },
  observed: ({ video }) => (video.rate.meanFps === 0 ? Number.NaN : video.rate.meanFps),
  limit: (facts) => (is30Only(facts) ? 30 : 60),
  placeholders: ({ video }) => ({ size: video.hasParameterSets ? `${video.width}x${video.height}` : 'a live stream' }),
};

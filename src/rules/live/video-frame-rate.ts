/** 6206: no more than 60 frames a second, 30 at sizes that are listed for 30 only. */
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
    raisedWhen: `The mean of ${seconds(FRAME_RATE.meanMs.value)} is for ${seconds(FRAME_RATE.holdMs.value)} above ${FRAME_RATE.maxFps.value} fps, or above ${FRAME_RATE.maxFpsAt30Only.value} at a size that is listed for 30 only.`,
    clears: CLEARS.insideWindow,
    delay: { ms: FRAME_RATE.meanMs.value + FRAME_RATE.holdMs.value + 100, text: 'after the rate rose' },
    unit: 'fps',
    worst: 'highest',
    sentence: 'The frame rate is {observed}; the most for {size} is {limit}.',
  }),
  remedy: 'Set the frame rate to 30 or 60 fps (30 for 480p).',
  events: VIDEO_BEAT,
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

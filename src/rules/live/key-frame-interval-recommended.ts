/** 6209: 2 s are recommended. Three longer intervals in a row are a setting, as long as none is too long altogether. */
import { KEY_FRAME } from '../../facts/events.js';
import { LIVE } from '../../spec/live.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { BROKEN, KEPT, type LiveRule, SKIP, UNKNOWN } from '../rule.js';

export const keyFrameIntervalRecommended: LiveRule = {
  code: 6209,
  sees: KEY_FRAME,
  raiseAfter: { times: KEY_FRAMES.aboveRecommendedTimes.value },
  check({ video }) {
    const { gop } = video;
    if (!gop.endedInterval) return SKIP;
    if (gop.intervalMs > KEY_FRAMES.overdueMs.value) return UNKNOWN;
    return gop.intervalMs > KEY_FRAMES.aboveRecommendedMs.value ? BROKEN : KEPT;
  },
  observed: ({ video }) => (video.gop.intervalMs > 0 ? video.gop.intervalMs : Number.NaN),
  limit: () => LIVE.keyFrameInterval.recommendedMs,
  firstEvidence: ({ video }) => video.gop.previous,
};

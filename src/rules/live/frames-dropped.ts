/** 6408: the frames that the usual distance lets expect are there. */
import { VIDEO_BEAT } from '../../facts/events.js';
import { TIMING } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

export const framesDropped: LiveRule = {
  code: 6408,
  sees: VIDEO_BEAT,
  check({ video }) {
    const { missingRatio } = video.rate;
    if (Number.isNaN(missingRatio)) return UNKNOWN;
    return missingRatio > TIMING.droppedRatio.value ? BROKEN_NOW : KEPT;
  },
  observed: ({ video }) => video.rate.missingRatio * 100,
  limit: () => TIMING.droppedRatio.value * 100,
};

/** 6215: no more than two key frames a second. */
import { KEY_FRAME } from '../../facts/events.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule, UNKNOWN } from '../rule.js';

export const keyFrameFrequency: LiveRule = {
  code: 6215,
  sees: KEY_FRAME,
  check({ video }) {
    const { perSecond } = video.gop;
    if (Number.isNaN(perSecond)) return UNKNOWN;
    return perSecond > KEY_FRAMES.tooFrequentPerSecond.value ? BROKEN_NOW : KEPT;
  },
  observed: ({ video }) => video.gop.perSecond,
  limit: () => KEY_FRAMES.tooFrequentPerSecond.value,
};

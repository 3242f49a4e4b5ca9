/** 6204: no picture is larger than the largest profile. */
import { VIDEO_CONFIG } from '../../facts/events.js';
import { PICTURE } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const videoResolutionMax: LiveRule = {
  code: 6204,
  sees: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return video.width > PICTURE.maxWidth.value || video.height > PICTURE.maxHeight.value ? BROKEN_NOW : KEPT;
  },
  observed: ({ video }) => (video.hasParameterSets ? `${video.width}x${video.height}` : ''),
  limit: () => `${PICTURE.maxWidth.value}x${PICTURE.maxHeight.value}`,
};

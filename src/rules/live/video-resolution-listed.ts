/** 6205: the picture has the size of a profile. */
import { VIDEO_CONFIG } from '../../facts/events.js';
import { LISTED_SIZES } from '../catalogue/video.js';
import { listedProfiles } from '../profile.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const videoResolutionListed: LiveRule = {
  code: 6205,
  sees: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return listedProfiles(video.width, video.height).length > 0 ? KEPT : BROKEN_NOW;
  },
  observed: ({ video }) => (video.hasParameterSets ? `${video.width}x${video.height}` : ''),
  limit: () => LISTED_SIZES,
};

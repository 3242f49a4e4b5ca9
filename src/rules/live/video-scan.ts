/** 6212: the video is progressive. A header that only allows fields (frame_mbs_only_flag 0) is no fault. */
import { KEY_FRAME, VIDEO_CONFIG } from '../../facts/events.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const videoScan: LiveRule = {
  code: 6212,
  sees: VIDEO_CONFIG | KEY_FRAME,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return video.mbaff || video.fieldCoded ? BROKEN_NOW : KEPT;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    if (video.fieldCoded) return 'field coding';
    return video.mbaff ? 'MBAFF' : 'progressive';
  },
  limit: () => 'progressive',
};

/** 6201: the video codec is H.264. */
import { VIDEO_CONFIG } from '../../facts/events.js';
import { codecName } from '../../spec/codec-names.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const videoCodec: LiveRule = {
  code: 6201,
  sees: VIDEO_CONFIG,
  check({ video }) {
    if (video.codec === '') return SKIP;
    return video.codec === 'avc1' ? KEPT : BROKEN_NOW;
  },
  observed: ({ video }) => codecName(video.codec),
  limit: () => LIVE.videoCodec.name,
};

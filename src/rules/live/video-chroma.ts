/** 6213: the video is 4:2:0 with 8 bits. */
import { VIDEO_CONFIG } from '../../facts/events.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

/** By chroma_format_idc (H.264 Table 6-1). */
const FORMATS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'];

export const videoChroma: LiveRule = {
  code: 6213,
  sees: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    const isUsual = video.chromaFormatIdc === 1 && video.bitDepthLuma === 8 && video.bitDepthChroma === 8;
    return isUsual ? KEPT : BROKEN_NOW;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    const bits = Math.max(video.bitDepthLuma, video.bitDepthChroma);
    return `${FORMATS[video.chromaFormatIdc] ?? 'an unknown format'} with ${bits} bits`;
  },
  limit: () => '4:2:0 with 8 bits',
};

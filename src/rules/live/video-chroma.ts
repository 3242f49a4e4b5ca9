/** 6213: the video is 4:2:0 with 8 bits per sample. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

/** By chroma_format_idc (H.264 Table 6-1). */
const FORMATS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'];

export const videoChroma: LiveRule = {
  entry: entry({
    code: 6213,
    type: 'VIDEO_CHROMA_UNSUPPORTED',
    severity: 'warning',
    title: 'Chroma format or bit depth not supported by players',
    passes: 'Chroma format and bit depth',
    row: 'video-format',
    perTrack: true,
    clause: `${CLAUSES.video}: Video codec`,
    raisedWhen: 'The video is not 4:2:0 with 8 bits.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    sentence: 'The video is {observed}; players need {limit}.',
  }),
  remedy: 'Set the pixel format to 4:2:0 with 8 bits (yuv420p, NV12).',
  events: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    const isUsual = video.chromaFormatIdc === 1 && video.bitDepthLuma === 8 && video.bitDepthChroma === 8;
    return isUsual ? PASS : FAIL_NOW;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    const bits = Math.max(video.bitDepthLuma, video.bitDepthChroma);
    return `${FORMATS[video.chromaFormatIdc] ?? 'an unknown format'} with ${bits} bits`;
  },
  limit: () => '4:2:0 with 8 bits',
};

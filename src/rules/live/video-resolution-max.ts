/** 6204: the frame is no larger than the largest profile. */
import { VIDEO_CONFIG } from '../../facts/measures/events.js';
import { LARGEST } from '../../spec/live.js';
import { PICTURE } from '../../spec/tolerances.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

/** Encoders code whole macroblocks, and some leave the cropping out. */
function coded(pixels: number): number {
  const step = PICTURE.codedMultiple.value;
  return Math.ceil(pixels / step) * step;
}

const MAX_WIDTH = coded(LARGEST.width);
const MAX_HEIGHT = coded(LARGEST.height);

export const videoResolutionMax: LiveRule = {
  entry: entry({
    code: 6204,
    type: 'VIDEO_RESOLUTION_TOO_LARGE',
    severity: 'error',
    title: `Resolution above ${LARGEST.height}p`,
    passes: 'Resolution at most 1080p',
    row: 'resolution',
    perTrack: true,
    bounds: ['profiles'],
    clause: CLAUSES.profiles,
    raisedWhen: `The frame is wider than ${MAX_WIDTH} or taller than ${MAX_HEIGHT} pixels.`,
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'pixels',
    sentence: 'The resolution is {observed}; the maximum is {limit}.',
  }),
  remedy: `Set the output size to ${LARGEST.width}x${LARGEST.height} or less.`,
  events: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return video.width > MAX_WIDTH || video.height > MAX_HEIGHT ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => (video.hasParameterSets ? `${video.width}x${video.height}` : ''),
  limit: () => `${MAX_WIDTH}x${MAX_HEIGHT}`,
};

/** 6204: the frame is no larger than the largest profile. */
import { VIDEO_CONFIG } from '../../facts/events.js';
import { PICTURE } from '../../spec/tolerances.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

export const videoResolutionMax: LiveRule = {
  entry: entry({
    code: 6204,
    type: 'VIDEO_RESOLUTION_TOO_LARGE',
    severity: 'error',
    title: 'Resolution above 1080p',
    clause: CLAUSES.profiles,
    raisedWhen: `The frame is wider than ${PICTURE.maxWidth.value} or taller than ${PICTURE.maxHeight.value} pixels.`,
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    unit: 'pixels',
    sentence: 'The resolution is {observed}; the maximum is {limit}.',
  }),
  remedy: 'Set the output size to 1920x1080 or less.',
  events: VIDEO_CONFIG,
  check({ video }) {
    if (!video.hasParameterSets) return SKIP;
    return video.width > PICTURE.maxWidth.value || video.height > PICTURE.maxHeight.value ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => (video.hasParameterSets ? `${video.width}x${video.height}` : ''),
  limit: () => `${PICTURE.maxWidth.value}x${PICTURE.maxHeight.value}`,
};

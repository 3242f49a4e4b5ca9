/** 6812: the picture is not black. */
import { PICTURE } from '../../facts/measures/events.js';
import { DEAD_PICTURE } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS_NOW, UNKNOWN } from '../rule.js';

export const videoBlack: LiveRule = {
  entry: analysisEntry({
    code: 6812,
    type: 'VIDEO_BLACK',
    severity: 'warning',
    title: 'Black picture',
    passes: 'Visible picture',
    row: 'picture',
    clause: ADVICE,
    raisedWhen: `For ${seconds(DEAD_PICTURE.blackMs.value)} each decoded key frame has ${100 * DEAD_PICTURE.blackShare.value} % of its pixels below a tenth of full brightness, and no picture between them changes a flat one. Key frames are decoded that are flat, and a sample of those whose upper left corner is dark.`,
    clears: { how: 'key-frames', times: 1 },
    delay: { ms: DEAD_PICTURE.blackMs.value + 11_000, text: 'after the picture turned black' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The picture has been black for {observed}; up to {limit} are usual.',
  }),
  remedy:
    'Check that the scene of the encoder has a visible video source: a camera without a signal or cover is black.',
  events: PICTURE,
  check({ analysis: { picture } }) {
    if (picture.blackMs >= DEAD_PICTURE.blackMs.value) return FAIL_NOW;
    return picture.blackMs === 0 && picture.isLit ? PASS_NOW : UNKNOWN;
  },
  observed: ({ analysis: { picture } }) => picture.blackMs,
  limit: () => DEAD_PICTURE.blackMs.value,
};

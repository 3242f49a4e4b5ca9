/** 6811: the picture moves. */
import { PICTURE } from '../../facts/measures/events.js';
import { DEAD_PICTURE } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, PASS_NOW, UNKNOWN } from '../rule.js';

export const videoFrozen: LiveRule = {
  entry: analysisEntry({
    code: 6811,
    type: 'VIDEO_FROZEN',
    severity: 'warning',
    title: 'Frozen picture',
    passes: 'Moving picture',
    row: 'picture',
    clause: ADVICE,
    raisedWhen: `For ${seconds(DEAD_PICTURE.frozenMs.value)} the picture did not change: at most ${DEAD_PICTURE.stillBits.value} bits for each macroblock with key frames of equal size, or at most ${DEAD_PICTURE.stillComplexity.value} at QP 26 and decoded key frames that are equal. A flat picture needs the latter in any case. Not while it is black.`,
    clears: { how: 'window', insideMs: DEAD_PICTURE.movesMs.value },
    delay: { ms: DEAD_PICTURE.frozenMs.value + 7_000, text: 'after the last motion' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The picture has not changed for {observed}; stills up to {limit} are usual.',
  }),
  remedy:
    'Check the video source in the encoder: a camera or capture that stopped keeps its last picture. A still picture that is intended needs no change.',
  events: PICTURE,
  check({ analysis: { picture } }) {
    if (picture.isMoving) return PASS;
    if (picture.blackMs === 0 && picture.frozenMs >= DEAD_PICTURE.frozenMs.value) return FAIL_NOW;
    return picture.hasChanged ? PASS_NOW : UNKNOWN;
  },
  observed: ({ analysis: { picture } }) => picture.frozenMs,
  limit: () => DEAD_PICTURE.frozenMs.value,
};

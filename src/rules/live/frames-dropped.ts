/** 6408: no frames are missing at the usual frame interval. */
import { VIDEO_BEAT } from '../../facts/measures/events.js';
import { TIMING } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const framesDropped: LiveRule = {
  entry: entry({
    code: 6408,
    type: 'FRAMES_DROPPED',
    severity: 'warning',
    title: 'Video frames are missing',
    passes: 'Complete frames',
    row: 'frame-rate',
    perTrack: true,
    clause: `${CLAUSES.rule} 5`,
    raisedWhen: `More than 2 % of the expected frames are missing over ${seconds(TIMING.droppedWindowMs.value)}, once the frame-rate class is settled.`,
    clears: CLEARS.insideWindow,
    delay: { ms: TIMING.droppedWindowMs.value + 100, text: 'after the first missing frame' },
    unit: '%',
    worst: 'highest',
    sentence: '{observed} of the video frames are missing; up to {limit} is tolerated.',
  }),
  remedy: 'Reduce the encoder load: use a faster preset, a smaller size or a lower frame rate.',
  events: VIDEO_BEAT,
  whole: true,
  check({ video }) {
    const { missingRatio } = video.rate;
    if (Number.isNaN(missingRatio)) return UNKNOWN;
    return missingRatio > TIMING.droppedRatio.value ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => video.rate.missingRatio * 100,
  limit: () => TIMING.droppedRatio.value * 100,
};

/** 6209: the recommended interval is 2 s. Raised after three longer intervals in a row; 6208 covers those above the maximum. */
import { KEY_FRAME } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { boundsOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, SKIP, UNKNOWN } from '../rule.js';

const OVERDUE_SLACK_MS = KEY_FRAMES.overdueSlackMs.value;
const SLACK_MS = KEY_FRAMES.recommendedSlackMs.value;

export const keyFrameIntervalRecommended: LiveRule = {
  entry: entry({
    code: 6209,
    type: 'KEY_FRAME_INTERVAL_ABOVE_RECOMMENDED',
    severity: 'warning',
    title: 'Key frame interval above the recommended value',
    passes: 'Key frame interval as recommended',
    row: 'key-frame-interval',
    perTrack: true,
    bounds: ['keyFrameInterval'],
    clause: `${CLAUSES.video}: Key frame interval`,
    raisedWhen: `Three consecutive intervals are above ${LIVE.keyFrameInterval.recommendedMs + SLACK_MS} ms, none of them above the maximum (6208).`,
    clears: CLEARS.threeKeyFrames,
    delay: {
      ms: 3 * (LIVE.keyFrameInterval.maxMs + OVERDUE_SLACK_MS),
      text: 'with the key frame that ends the third interval',
    },
    unit: 'ms',
    worst: 'highest',
    sentence: 'Key frames come every {observed}; {limit} is recommended.',
  }),
  remedy: `Set the key frame interval to ${LIVE.keyFrameInterval.recommendedMs / 1000} seconds.`,
  events: KEY_FRAME,
  whole: true,
  raiseAfter: { times: KEY_FRAMES.aboveRecommendedTimes.value },
  check(facts) {
    const { gop } = facts.video;
    const bounds = boundsOf(facts).keyFrameInterval;
    if (!gop.endedInterval) return SKIP;
    if (gop.intervalMs > bounds.maxMs + OVERDUE_SLACK_MS) return UNKNOWN;
    return gop.intervalMs > bounds.recommendedMs + SLACK_MS ? FAIL : PASS;
  },
  observed: ({ video }) => (video.gop.intervalMs > 0 ? video.gop.intervalMs : Number.NaN),
  limit: (facts) => boundsOf(facts).keyFrameInterval.recommendedMs,
  firstEvidence: ({ video }) => video.gop.previous,
};

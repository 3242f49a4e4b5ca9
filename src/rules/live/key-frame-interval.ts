/**
 * 6208: at most 4 s between key frames. Checked at each video frame, so that an overdue key frame is reported at the bound
 * and not when it arrives. A stalled uplink sends no frames and does not lengthen the interval.
 */
import { KEY_FRAME, VIDEO_FRAME } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { boundsOf } from '../bounds.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, SKIP } from '../rule.js';

const SLACK_MS = KEY_FRAMES.overdueSlackMs.value;
/** Where no condition sets another bound. */
const OVERDUE_MS = LIVE.keyFrameInterval.maxMs + SLACK_MS;

export const keyFrameInterval: LiveRule = {
  entry: entry({
    code: 6208,
    type: 'KEY_FRAME_INTERVAL_TOO_LONG',
    severity: 'error',
    title: 'Key frames too far apart',
    passes: 'Key frame interval',
    row: 'key-frame-interval',
    perTrack: true,
    bounds: ['keyFrameInterval'],
    clause: `${CLAUSES.video}: Key frame interval`,
    raisedWhen: `A video frame is decoded more than ${OVERDUE_MS} ms after the last key frame.`,
    clears: CLEARS.threeKeyFrames,
    delay: { ms: 100, text: `after the bound of ${OVERDUE_MS} ms, with the next video frame` },
    unit: 'ms',
    worst: 'highest',
    sentence: 'No key frame for {observed}; the interval must not exceed {limit}.',
  }),
  remedy: `Set the key frame interval to ${LIVE.keyFrameInterval.recommendedMs / 1000} seconds.`,
  events: VIDEO_FRAME,
  check(facts, events) {
    const { video } = facts;
    if (video.gop.ageMs > boundsOf(facts).keyFrameInterval.maxMs + SLACK_MS) return FAIL_NOW;
    return has(events, KEY_FRAME) && video.gop.endedInterval ? PASS : SKIP;
  },
  observed: ({ video }) => Math.max(video.gop.ageMs, video.gop.intervalMs),
  limit: (facts) => boundsOf(facts).keyFrameInterval.maxMs,
  firstEvidence: ({ video }, events) => (has(events, KEY_FRAME) ? video.gop.previous : video.gop.reference),
};

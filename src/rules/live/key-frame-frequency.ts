/** 6215: at most two key frames per second. */
import { KEY_FRAME } from '../../facts/measures/events.js';
import { LIVE } from '../../spec/live.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const keyFrameFrequency: LiveRule = {
  entry: entry({
    code: 6215,
    type: 'KEY_FRAMES_TOO_FREQUENT',
    severity: 'warning',
    title: 'Too many key frames',
    passes: 'Key frames per second',
    row: 'key-frame-interval',
    perTrack: true,
    bounds: ['keyFrameInterval'],
    clause: `${CLAUSES.video}: Key frame interval`,
    raisedWhen: `More than ${KEY_FRAMES.tooFrequentPerSecond.value} key frames per second for ${seconds(KEY_FRAMES.tooFrequentMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: KEY_FRAMES.tooFrequentMs.value + 100, text: 'after key frames become too frequent' },
    unit: 'key frames/s',
    worst: 'highest',
    sentence: 'There are {observed}; at most {limit} are useful.',
  }),
  remedy: `Set the key frame interval to ${LIVE.keyFrameInterval.recommendedMs / 1000} seconds and turn off key frames at scene cuts.`,
  events: KEY_FRAME,
  whole: true,
  check({ video }) {
    const { perSecond } = video.gop;
    if (Number.isNaN(perSecond)) return UNKNOWN;
    return perSecond > KEY_FRAMES.tooFrequentPerSecond.value ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => video.gop.perSecond,
  limit: () => KEY_FRAMES.tooFrequentPerSecond.value,
};

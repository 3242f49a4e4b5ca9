/** 6215: no more than two key frames a second. */
import { KEY_FRAME } from '../../facts/events.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const keyFrameFrequency: LiveRule = {
  entry: entry({
    code: 6215,
    type: 'KEY_FRAMES_TOO_FREQUENT',
    severity: 'warning',
    title: 'Too many key frames',
    clause: `${CLAUSES.video}: Key frame interval`,
    raisedWhen: `More than ${KEY_FRAMES.tooFrequentPerSecond.value} key frames a second for ${seconds(KEY_FRAMES.tooFrequentMs.value)}.`,
    clears: CLEARS.insideWindow,
    delay: { ms: KEY_FRAMES.tooFrequentMs.value + 100, text: 'after they became so frequent' },
    unit: 'key frames/s',
    worst: 'highest',
    sentence: 'There are {observed}; up to {limit} are sensible.',
  }),
  remedy: 'Set the key frame interval to 2 seconds and turn key frames at scene cuts off.',
  events: KEY_FRAME,
  check({ video }) {
    const { perSecond } = video.gop;
    if (Number.isNaN(perSecond)) return UNKNOWN;
    return perSecond > KEY_FRAMES.tooFrequentPerSecond.value ? FAIL_NOW : PASS;
  },
  observed: ({ video }) => video.gop.perSecond,
  limit: () => KEY_FRAMES.tooFrequentPerSecond.value,
};

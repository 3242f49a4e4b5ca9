/** 6822: time codes advance as the timestamps do. */
import { TIMECODE } from '../../facts/measures/events.js';
import { CAPTIONS } from '../../spec/tolerances.js';
import { analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, UNKNOWN } from '../rule.js';

export const timecodeJump: LiveRule = {
  entry: analysisEntry({
    code: 6822,
    type: 'TIMECODE_JUMP',
    severity: 'info',
    title: 'Time code jumps',
    passes: 'Steady time code',
    row: 'data-tracks',
    clause: 'H.264 D.2.3; SMPTE ST 12-1',
    raisedWhen: `${CAPTIONS.timecodeJumps.value} times in ${seconds(CAPTIONS.timecodeWindowMs.value)}, the time code of a picture timing message or of onFI is off the step of the timestamps by more than one frame. Of pictures, key frames and one inter frame in 16 are read.`,
    clears: { how: 'window', insideMs: CAPTIONS.timecodeWindowMs.value },
    delay: { ms: 1_000, text: 'after the third jump' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The time code is {observed} off the timestamps; up to {limit} is tolerated.',
  }),
  remedy:
    'Feed the encoder one time code source that runs with its video, and let the encoder drop frame numbers at 29.97 and 59.94 fps.',
  events: TIMECODE,
  check({ data: { timecode } }) {
    if (timecode.isFaulty) return FAIL_NOW;
    return timecode.isOff ? UNKNOWN : PASS;
  },
  observed: ({ data: { timecode } }) => timecode.offMs,
  limit: ({ data: { timecode } }) => timecode.toleratedMs,
};

/** 6806: the loudness is that of the operator's delivery target, where one is set. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { analysisEntry, CLEARS } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP, UNKNOWN } from '../rule.js';

export const loudnessOffTarget: LiveRule = {
  entry: analysisEntry({
    code: 6806,
    type: 'LOUDNESS_OFF_TARGET',
    severity: 'info',
    title: 'Loudness off the target',
    passes: 'Loudness on target',
    row: 'loudness',
    clause: 'ITU-R BS.1770-4; EBU R 128 and others give the target',
    raisedWhen: `The gated loudness of ten minutes is more than ${DEAD_AIR.loudnessLu.value} LU from the target (AIRLOCK_LOUDNESS_TARGET).`,
    clears: CLEARS.insideWindow,
    delay: { ms: 700_000, text: 'after the loudness leaves the target' },
    unit: 'LUFS',
    worst: 'latest',
    sentence: 'The loudness of the last ten minutes is {observed}; the target is {limit}.',
  }),
  remedy: 'Change the gain of the master bus by the difference, or put a loudness filter on it.',
  events: AUDIO_LEVEL,
  check({ analysis: { levels } }) {
    const apart = Math.abs(levels.meter.windowLufs - levels.targetLufs);
    if (Number.isNaN(apart)) return UNKNOWN;
    if (apart > DEAD_AIR.loudnessLu.value) return FAIL_NOW;
    return apart <= DEAD_AIR.loudnessClearsLu.value ? PASS : SKIP;
  },
  observed: ({ analysis: { levels } }) => levels.meter.windowLufs,
  limit: ({ analysis: { levels } }) => levels.targetLufs,
};

/** 6905: the encoder does not keep up with its source. */
import { PERFORMANCE, SECOND } from '../../facts/measures/events.js';
import { CAUSES } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { isCause, overloadShare } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const encoderOverloaded: LiveRule = {
  entry: analysisEntry({
    code: 6905,
    type: 'ENCODER_OVERLOADED',
    severity: 'warning',
    judgedBy: 'both',
    title: 'Encoder is too slow',
    passes: 'Encoder keeps up',
    row: 'cause',
    explains: ['STREAM_STARVED', 'FRAMES_DROPPED', 'TIMESTAMP_JITTER', 'VIDEO_FRAME_RATE_UNSUPPORTED'],
    clause: ADVICE,
    raisedWhen: `More than 2 % of the video frames are missing over ${seconds(CAUSES.windowMs.value)} while the audio is whole and the lag stays below 300 ms, or the encoder reports that it skipped more than 2 % of the frames.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 15_000, text: 'after the encoder falls behind' },
    unit: '%',
    worst: 'highest',
    sentence: 'The encoder is overloaded and skips {observed} of the frames; up to {limit} is tolerated.',
  }),
  remedy: 'Use a faster preset (NVENC: P1 to P3), a hardware encoder, a smaller size or a lower frame rate.',
  events: SECOND | PERFORMANCE,
  check: (facts) => isCause(facts, 'overloaded'),
  observed: (facts) => overloadShare(facts) * 100,
  limit: () => CAUSES.share.value * 100,
};

/** 6224: the first frame is an IDR. */
import { FLAW_FIRST_FRAME } from '../../facts/analysis-facts.js';
import { ADVICE, analysisEntry } from '../catalogue-entry.js';
import { flawUntilKeyFrame } from '../flaw-check.js';
import { type LiveRule, PASS, PASS_NOW, SKIP } from '../rule.js';

const { check, ...when } = flawUntilKeyFrame(FLAW_FIRST_FRAME);

export const firstFrameNotIdr: LiveRule = {
  entry: analysisEntry({
    code: 6224,
    type: 'FIRST_FRAME_NOT_IDR',
    severity: 'warning',
    title: 'First frame is not an IDR',
    passes: 'First frame is an IDR',
    row: 'bit-stream',
    clause: ADVICE,
    raisedWhen:
      'The first frame after the sequence header of a connection is not an IDR, so nothing can be shown until one comes.',
    clears: { how: 'key-frames', times: 1 },
    delay: { ms: 0, text: 'with the frame' },
    sentence: 'The stream starts with {observed}; viewers see nothing until {limit} comes.',
  }),
  remedy: 'Let the encoder send an IDR and its headers when it connects.',
  ...when,
  check(facts, at) {
    const outcome = check(facts, at);
    if (outcome !== PASS) return outcome;
    return facts.video.gop.lastIsIdr ? PASS_NOW : SKIP;
  },
  observed: () => 'a frame that is not an IDR',
  passing: () => 'an IDR',
  limit: () => 'an IDR',
};

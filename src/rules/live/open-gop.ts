/** 6214: every key frame is an IDR, so that no later frame refers to an earlier one. */
import { KEY_FRAME } from '../../facts/measures/events.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

export const openGop: LiveRule = {
  entry: entry({
    code: 6214,
    type: 'VIDEO_OPEN_GOP',
    severity: 'warning',
    title: 'Key frame is not an IDR',
    passes: 'Key frames are IDRs',
    row: 'key-frame-interval',
    perTrack: true,
    bounds: ['keyFrameInterval'],
    clause: `${CLAUSES.video}: Key frame interval`,
    raisedWhen: 'A key frame is a recovery point (recovery_frame_cnt 0) and not an IDR.',
    clears: CLEARS.threeKeyFrames,
    delay: { ms: 0, text: 'with the key frame' },
    sentence: 'A key frame is {observed} (open GOP); {limit} is needed to join the stream.',
  }),
  remedy: 'Turn off open GOP and intra refresh, so that each key frame is an IDR.',
  events: KEY_FRAME,
  // IDRs are judged for H.264 only; another codec is 6201.
  check: ({ video }) => (video.codec !== 'avc1' ? SKIP : video.gop.lastIsIdr ? PASS : FAIL_NOW),
  observed: ({ video }) => (video.gop.hasKeyFrame ? (video.gop.lastIsIdr ? 'an IDR' : 'a recovery point') : ''),
  limit: () => 'an IDR',
};

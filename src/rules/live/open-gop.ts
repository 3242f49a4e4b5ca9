/** 6214: every key frame is an IDR, behind which nothing refers to what was before it. */
import { KEY_FRAME } from '../../facts/events.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

export const openGop: LiveRule = {
  code: 6214,
  sees: KEY_FRAME,
  // Only H.264 has IDRs, and another codec is a fault of its own.
  check: ({ video }) => (video.codec !== 'avc1' ? SKIP : video.gop.lastIsIdr ? KEPT : BROKEN_NOW),
  observed: ({ video }) => (video.gop.hasKeyFrame ? (video.gop.lastIsIdr ? 'an IDR' : 'a recovery point') : ''),
  limit: () => 'an IDR',
};

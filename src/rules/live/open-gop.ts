/** 6214: every key frame is an IDR, behind which nothing refers to what was before it. */
import { KEY_FRAME } from '../../facts/events.js';
import { BROKEN_NOW, KEPT, type LiveRule } from '../rule.js';

export const openGop: LiveRule = {
  code: 6214,
  sees: KEY_FRAME,
  check: ({ video }) => (video.gop.lastIsIdr ? KEPT : BROKEN_NOW),
  observed: ({ video }) => (video.gop.hasKeyFrame ? (video.gop.lastIsIdr ? 'an IDR' : 'a recovery point') : ''),
  limit: () => 'an IDR',
};

/** 6216: one audio and one video track, in the form that every reader of FLV knows. */
import { BEAT, MULTITRACK } from '../../facts/events.js';
import { BROKEN_NOW, has, KEPT, type LiveRule } from '../rule.js';

const ONE = 'one of each kind';

export const multipleTracks: LiveRule = {
  code: 6216,
  sees: MULTITRACK | BEAT,
  check: (_facts, events) => (has(events, MULTITRACK) ? BROKEN_NOW : KEPT),
  observed: (facts) => (facts.hasSeveralTracks ? 'multitrack form of Enhanced RTMP' : ONE),
  limit: (facts) => (facts.hasSeveralTracks ? 'the first track' : ONE),
};

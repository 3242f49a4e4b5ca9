/** 6513: a target took the stream more slowly than it arrives. */
import { CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const forwardBehind: Rule = {
  entry: entry({
    code: 6513,
    type: 'FORWARD_BEHIND',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Forward behind',
    passes: 'Targets of forwards keep up',
    row: 'connection',
    clause: 'Not in the published document: forwards',
    raisedWhen:
      'A target took the stream more slowly than it arrives: more than 8 s or 16 MiB of it waited, and the part up to the newest key frame was left out.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when it happens' },
    sentence: 'A forward is behind, {observed}.',
    source: 'service',
    pushed: false,
  }),
  remedy:
    'No change in the encoder is needed; the target or the network to it is too slow for the bitrate of the stream.',
};

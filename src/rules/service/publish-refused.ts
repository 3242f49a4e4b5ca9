/** 6102: a publish with the right stream key was refused. */
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import type { Rule } from '../rule.js';

export const publishRefused: Rule = {
  entry: entry({
    code: 6102,
    type: 'PUBLISH_REFUSED',
    severity: 'error',
    judgedBy: 'arrival',
    title: 'Publish refused',
    passes: 'No refused publish',
    clause: CLAUSES.goingLive,
    raisedWhen:
      'An encoder with the right stream key was refused: no privacy setting, an ineligible profile, an ended broadcast, another publisher, or a limit of the owner.',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the publish is refused' },
    sentence: 'A publish was refused: {told}.',
    source: 'publish',
    pushed: false,
  }),
  remedy: 'Remove the reason of the refusal, then publish again.',
};

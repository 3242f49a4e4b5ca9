/** An example of a rule on existing facts: the video must not be taller than wide. Its code is outside the catalogue's ranges. */
import { VIDEO_CONFIG } from '../../../src/facts/measures/events.js';
import { AT_HEADER, CLAUSES, CLEARS, entry } from '../../../src/rules/catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../../../src/rules/rule.js';

export const videoPortrait: LiveRule = {
  entry: entry({
    code: 6999,
    type: 'VIDEO_PORTRAIT',
    severity: 'warning',
    title: 'Video is portrait',
    passes: 'Landscape video',
    row: 'resolution',
    clause: CLAUSES.profiles,
    raisedWhen: 'The picture is taller than wide.',
    clears: CLEARS.nextHeader,
    delay: AT_HEADER,
    sentence: 'The video is {observed}; it must be {limit}.',
  }),
  remedy: 'Set a landscape resolution.',
  events: VIDEO_CONFIG,
  check: ({ video }) => (video.hasParameterSets ? (video.height > video.width ? FAIL_NOW : PASS) : SKIP),
  observed: ({ video }) => (video.height > video.width ? 'portrait' : 'landscape'),
  limit: () => 'landscape',
};

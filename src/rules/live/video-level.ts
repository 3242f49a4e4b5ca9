/** 6202: the maximum level is 4.1, or 4.2 in the 60 fps class. Lower levels conform. */
import { RATE_CLASS, VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { h264LevelName } from '../../spec/h264-levels.js';
import { LIVE } from '../../spec/live.js';
import { FRAME_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

const CEILING = LIVE.videoCodec.maxLevelTimes10;
const AT_30 = h264LevelName(CEILING[30]);
const AT_60 = h264LevelName(CEILING[60]);

/** The class whose maximum applies; the higher one while the class is unknown. */
function decidingClass({ video }: StreamFacts): 30 | 60 {
  return video.rate.classOfHeader ?? 60;
}

export const videoLevel: LiveRule = {
  entry: entry({
    code: 6202,
    type: 'VIDEO_LEVEL_TOO_HIGH',
    severity: 'error',
    title: 'H.264 level above the maximum',
    passes: 'H.264 level',
    row: 'level',
    perTrack: true,
    bounds: ['profiles', 'videoCodec'],
    clause: `${CLAUSES.video}: Video codec`,
    raisedWhen: `The declared H.264 level is above ${AT_30}, or above ${AT_60} in the 60 fps class. Level ${AT_60} is judged once the class is known.`,
    clears: CLEARS.nextHeader,
    delay: {
      ms: FRAME_RATE.settleMs.value + 100,
      text: `after the header for level ${AT_60}; with the header above ${AT_60}`,
    },
    unit: 'level',
    sentence: 'The H.264 level is {observed}; the maximum at {class} is {limit}.',
  }),
  remedy: `Set the H.264 level to automatic, or to ${AT_30} (${AT_60} at 60 fps).`,
  events: VIDEO_CONFIG | RATE_CLASS,
  check(facts) {
    const { video } = facts;
    if (!video.hasParameterSets) return SKIP;
    if (video.levelTimes10 <= CEILING[30]) return PASS;
    if (video.levelTimes10 > CEILING[60]) return FAIL_NOW;
    if (video.rate.classOfHeader === undefined) return SKIP;
    return video.rate.classOfHeader === 60 ? PASS : FAIL_NOW;
  },
  observed: ({ video }) => (video.hasParameterSets ? h264LevelName(video.levelTimes10) : ''),
  limit: (facts) => h264LevelName(CEILING[decidingClass(facts)]),
  placeholders: ({ video }) => ({
    class: video.rate.classOfHeader === undefined ? 'any frame rate' : `${video.rate.classOfHeader} fps`,
  }),
};

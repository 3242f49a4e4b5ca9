/** 6202: level 4.1 is the ceiling, 4.2 in the 60 fps class. A lower level breaks nothing. */
import { RATE_CLASS, VIDEO_CONFIG } from '../../facts/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { h264LevelName } from '../../spec/h264-levels.js';
import { LIVE } from '../../spec/live.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

const CEILING = LIVE.videoCodec.maxLevelTimes10;

/** The class that decides; above every ceiling the higher one does, whatever the class. */
function decidingClass({ video }: StreamFacts): 30 | 60 {
  return video.rate.classOfHeader ?? 60;
}

export const videoLevel: LiveRule = {
  code: 6202,
  sees: VIDEO_CONFIG | RATE_CLASS,
  check(facts) {
    const { video } = facts;
    if (!video.hasParameterSets) return SKIP;
    if (video.levelTimes10 <= CEILING[30]) return KEPT;
    if (video.levelTimes10 > CEILING[60]) return BROKEN_NOW;
    if (video.rate.classOfHeader === undefined) return SKIP;
    return video.rate.classOfHeader === 60 ? KEPT : BROKEN_NOW;
  },
  observed: ({ video }) => (video.hasParameterSets ? h264LevelName(video.levelTimes10) : ''),
  limit: (facts) => h264LevelName(CEILING[decidingClass(facts)]),
  words: (facts) => ({ class: `${decidingClass(facts)} fps` }),
};

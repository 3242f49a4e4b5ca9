/** 6203: the declared level allows the frame size and the macroblock rate (H.264 Table A-1). */
import { VIDEO_BEAT, VIDEO_CONFIG } from '../../facts/events.js';
import type { VideoFacts } from '../../facts/video-facts.js';
import { H264_LEVELS, type H264Level, h264Level, h264LevelName, maxSideMacroblocks } from '../../spec/h264-levels.js';
import { PICTURE } from '../../spec/tolerances.js';
import { BROKEN_NOW, KEPT, type LiveRule, SKIP } from '../rule.js';

function sizeFits(level: H264Level, { widthMbs, heightMbs }: VideoFacts): boolean {
  return (
    widthMbs * heightMbs <= level.maxFrameMacroblocks && Math.max(widthMbs, heightMbs) <= maxSideMacroblocks(level)
  );
}

function rateFits(level: H264Level, { widthMbs, heightMbs, rate }: VideoFacts): boolean {
  return widthMbs * heightMbs * rate.meanFps <= level.maxMacroblocksPerSecond * PICTURE.levelRateSlack.value;
}

export const videoLevelUnderstated: LiveRule = {
  code: 6203,
  sees: VIDEO_CONFIG | VIDEO_BEAT,
  check({ video }) {
    const declared = video.hasParameterSets ? h264Level(video.levelTimes10) : undefined;
    if (declared === undefined) return SKIP;
    if (!sizeFits(declared, video)) return BROKEN_NOW;
    if (video.rate.meanFps === 0) return SKIP;
    return rateFits(declared, video) ? KEPT : BROKEN_NOW;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    const needed = H264_LEVELS.find((level) => sizeFits(level, video) && rateFits(level, video));
    return needed?.name ?? 'above 6.2';
  },
  limit: ({ video }) => h264LevelName(video.levelTimes10),
};

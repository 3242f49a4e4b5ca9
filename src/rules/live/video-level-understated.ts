/** 6203: the declared level allows the frame size and the macroblock rate (H.264 Table A-1). */
import { VIDEO_BEAT, VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { VideoFacts } from '../../facts/video/video-facts.js';
import { H264_LEVELS, type H264Level, h264Level, h264LevelName, maxSideMacroblocks } from '../../spec/h264-levels.js';
import { FRAME_RATE, PICTURE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

function sizeFits(level: H264Level, { widthMbs, heightMbs }: VideoFacts): boolean {
  return (
    widthMbs * heightMbs <= level.maxFrameMacroblocks && Math.max(widthMbs, heightMbs) <= maxSideMacroblocks(level)
  );
}

function rateFits(level: H264Level, { widthMbs, heightMbs, rate }: VideoFacts): boolean {
  return widthMbs * heightMbs * rate.meanFps <= level.maxMacroblocksPerSecond * PICTURE.levelRateSlack.value;
}

export const videoLevelUnderstated: LiveRule = {
  entry: entry({
    code: 6203,
    type: 'VIDEO_LEVEL_UNDERSTATED',
    severity: 'warning',
    title: 'H.264 level lower than the stream needs',
    passes: 'H.264 level sufficient',
    row: 'level',
    perTrack: true,
    clause: `H.264 Table A-1; ${CLAUSES.video}: Video codec`,
    raisedWhen: `The frame is larger than the declared level allows, or the macroblock rate (${seconds(FRAME_RATE.meanMs.value)} mean) is more than 5 % above its limit.`,
    clears: CLEARS.insideWindow,
    delay: {
      ms: FRAME_RATE.meanMs.value + 100,
      text: 'after the header for the macroblock rate; with the header for the frame size',
    },
    unit: 'level',
    sentence: 'The stream needs H.264 level {observed} but declares {limit}.',
  }),
  remedy: 'Set the H.264 level to automatic.',
  events: VIDEO_CONFIG | VIDEO_BEAT,
  check({ video }) {
    const declared = video.hasParameterSets ? h264Level(video.levelTimes10) : undefined;
    if (declared === undefined) return SKIP;
    if (!sizeFits(declared, video)) return FAIL_NOW;
    if (video.rate.meanFps === 0) return SKIP;
    return rateFits(declared, video) ? PASS : FAIL_NOW;
  },
  observed({ video }) {
    if (!video.hasParameterSets) return '';
    const needed = H264_LEVELS.find((level) => sizeFits(level, video) && rateFits(level, video));
    return needed?.name ?? 'above 6.2';
  },
  limit: ({ video }) => h264LevelName(video.levelTimes10),
};

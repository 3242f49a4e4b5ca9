/** 6206: at most 60 fps, or 30 fps at sizes listed at 30 fps only. */
import { VIDEO_BEAT } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { HIGHEST_FPS, LIVE } from '../../spec/live.js';
import { FRAME_RATE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry, seconds } from '../catalogue-entry.js';
import { isListedAt30Only } from '../profile.js';
import { FAIL, type LiveRule, PASS, UNKNOWN } from '../rule.js';

const SLACK = FRAME_RATE.slackFps.value;

function is30Only({ video }: StreamFacts): boolean {
  return video.hasParameterSets && isListedAt30Only(video.width, video.height);
}

const SLOW_SIZES = [
  ...new Set(
    LIVE.profiles.filter(({ width, height }) => isListedAt30Only(width, height)).map(({ height }) => `${height}p`),
  ),
];
const REMEDY =
  HIGHEST_FPS === 30
    ? 'Set the frame rate to 30 fps.'
    : `Set the frame rate to 30 or 60 fps${SLOW_SIZES.length === 0 ? '' : ` (30 for ${SLOW_SIZES.join(' and ')})`}.`;

export const videoFrameRate: LiveRule = {
  entry: entry({
    code: 6206,
    type: 'VIDEO_FRAME_RATE_UNSUPPORTED',
    severity: 'error',
    title: 'Frame rate too high',
    passes: 'Frame rate',
    row: 'frame-rate',
    perTrack: true,
    bounds: ['profiles'],
    clause: CLAUSES.profiles,
    raisedWhen: `The ${seconds(FRAME_RATE.meanMs.value)} mean is above ${HIGHEST_FPS + SLACK} fps for ${seconds(FRAME_RATE.holdMs.value)}, or above ${30 + SLACK} fps at a size listed at 30 fps only.`,
    clears: CLEARS.insideWindow,
    delay: { ms: FRAME_RATE.meanMs.value + FRAME_RATE.holdMs.value + 100, text: 'after the frame rate rises' },
    unit: 'fps',
    worst: 'highest',
    sentence: 'The frame rate is {observed}; the maximum for {size} is {limit}.',
  }),
  remedy: REMEDY,
  events: VIDEO_BEAT,
  whole: true,
  raiseAfter: { holdMs: FRAME_RATE.holdMs.value },
  check(facts) {
    const fps = facts.video.rate.meanFps;
    if (fps === 0) return UNKNOWN;
    if (fps <= 30 + SLACK) return PASS;
    return fps > HIGHEST_FPS + SLACK || is30Only(facts) ? FAIL : PASS;
  },
  observed: ({ video }) => (video.rate.meanFps === 0 ? Number.NaN : video.rate.meanFps),
  limit: (facts) => (is30Only(facts) ? 30 : HIGHEST_FPS),
  placeholders: ({ video }) => ({ size: video.hasParameterSets ? `${video.width}x${video.height}` : 'a live stream' }),
};

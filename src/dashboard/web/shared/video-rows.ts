/** Specification rows of the video track. */
import { bitrateRange, isListedAt30Only } from '../../../rules/profile.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { HIGHEST_FPS, LIVE } from '../../../spec/live.js';
import type { HealthView } from '../../view/protocol.js';
import { kbps, number, seconds } from './format.js';
import { type Observed, type RowText, unlessFailing, whenAnalyzed } from './row.js';

const { keyFrameInterval, videoCodec } = LIVE;

const SIZES = [...new Set(LIVE.profiles.map(({ width, height }) => `${width}×${height}`))];

function range(
  health: HealthView,
): { readonly minKbps: number; readonly maxKbps: number; readonly name: string } | undefined {
  const { width, height, frame_rate_class } = health;
  if (width === undefined || height === undefined) return undefined;
  return bitrateRange(width, height, frame_rate_class ?? 30);
}

/** While a key frame is overdue, the last interval still looks good: for health without the time since, the record has it. */
function overdueMs(against: readonly ErrorView[]): number {
  return Math.max(0, ...against.map(({ unit, worst }) => (unit === 'ms' && typeof worst === 'number' ? worst : 0)));
}

/** 0 before the second key frame, unless that is overdue. */
function intervalMs(seen: Observed, against: readonly ErrorView[]): number {
  const { key_frame_interval_ms: last, since_key_frame_ms: since = 0 } = seen;
  if (last === undefined && against.length === 0 && since <= keyFrameInterval.maxMs) return 0;
  return Math.max(seen.key_frame_interval_ms ?? 0, seen.since_key_frame_ms ?? overdueMs(against));
}

function levelName(levelIdc: number): string {
  return levelIdc === 9 ? '1b' : (levelIdc / 10).toFixed(1);
}

function highestFps({ width, height }: HealthView): number {
  return width !== undefined && height !== undefined && isListedAt30Only(width, height) ? 30 : HIGHEST_FPS;
}

/** Undefined before the frame rate has settled. */
function highestLevel(health: HealthView | undefined): number | undefined {
  return health?.frame_rate_class === undefined ? undefined : videoCodec.maxLevelTimes10[health.frame_rate_class];
}

export const VIDEO_ROWS: readonly RowText[] = [
  {
    id: 'video-bitrate',
    title: 'Bitrate',
    watched: true,
    bound: (health) => {
      const found = health === undefined ? undefined : range(health);
      return found === undefined
        ? 'depends on the resolution'
        : `${number(found.minKbps)} to ${number(found.maxKbps)} kbps (${found.name})`;
    },
    observed: ({ video_bitrate_kbps }) => (video_bitrate_kbps === undefined ? undefined : kbps(video_bitrate_kbps)),
    gauge: (health) => {
      const found = range(health);
      if (found === undefined || health.video_bitrate_kbps === undefined) return undefined;
      return { value: health.video_bitrate_kbps, min: found.minKbps, max: found.maxKbps };
    },
  },
  {
    id: 'key-frame-interval',
    title: 'Key frame interval',
    watched: true,
    bound: () => `${seconds(keyFrameInterval.recommendedMs)}, at most ${seconds(keyFrameInterval.maxMs)}`,
    observed: (seen, against) => {
      const ms = intervalMs(seen, against);
      return ms === 0 ? undefined : seconds(ms);
    },
    gauge: (seen, against) => {
      const value = intervalMs(seen, against);
      return value === 0 ? undefined : { value, min: 0, max: keyFrameInterval.maxMs };
    },
  },
  {
    id: 'frame-rate',
    title: 'Frame rate',
    watched: true,
    bound: (health) => `at most ${health === undefined ? HIGHEST_FPS : highestFps(health)} fps`,
    observed: ({ frame_rate }) => (frame_rate === undefined ? undefined : `${number(frame_rate, 2)} fps`),
    gauge: (health) =>
      health.frame_rate === undefined ? undefined : { value: health.frame_rate, min: 0, max: highestFps(health) },
  },
  {
    id: 'picture',
    title: 'Picture',
    bound: () => 'moving, not black',
    observed: ({ picture }) => picture,
  },
  {
    id: 'data-tracks',
    title: 'Captions and cues',
    bound: () => 'optional; captions continue, time codes follow the timestamps',
    observed: ({ data_tracks, video_codec }) =>
      video_codec === undefined ? undefined : (data_tracks?.join(', ') ?? 'none'),
  },
  {
    id: 'resolution',
    title: 'Resolution',
    watched: true,
    bound: () => SIZES.join(', '),
    observed: ({ width, height }) => (width === undefined ? undefined : `${width}×${height}`),
  },
  {
    id: 'aspect-ratio',
    title: 'Aspect ratio',
    bound: () => `${LIVE.aspectRatio.width}:${LIVE.aspectRatio.height}`,
    observed: ({ width, height }) =>
      width === undefined || height === undefined ? undefined : `${(width / height).toFixed(2)}:1`,
  },
  {
    id: 'video-codec',
    title: 'Codec',
    bound: () => videoCodec.name,
    observed: ({ video_codec }) => video_codec,
  },
  {
    id: 'level',
    title: 'H.264 level',
    watched: true,
    bound: (health) => {
      const { 30: at30, 60: at60 } = videoCodec.maxLevelTimes10;
      const max = highestLevel(health);
      return max === undefined
        ? `at most ${levelName(at30)}, ${levelName(at60)} at 60 fps`
        : `at most ${levelName(max)}`;
    },
    observed: ({ h264_level_idc }) => (h264_level_idc === undefined ? undefined : levelName(h264_level_idc)),
    gauge: (seen) => {
      const max = (highestLevel(seen) ?? videoCodec.maxLevelTimes10[30]) / 10;
      const value = seen.h264_level_idc === 9 ? 1 : (seen.h264_level_idc ?? 0) / 10;
      return value === 0 ? undefined : { value, min: 0, max };
    },
    isMet: (seen) => {
      const max = highestLevel(seen) ?? videoCodec.maxLevelTimes10[30];
      return seen.h264_level_idc === undefined || seen.h264_level_idc === 9 || seen.h264_level_idc <= max;
    },
  },
  {
    id: 'video-format',
    title: 'Video format',
    bound: () => '4:2:0, 8-bit, progressive; one track',
    observed: ({ width }, against) =>
      width === undefined ? undefined : unlessFailing('4:2:0, 8-bit, progressive', against),
  },
  {
    id: 'bit-stream',
    title: 'Bit stream',
    bound: () => 'decodable, within level and buffer',
    observed: whenAnalyzed('decodable'),
  },
];

/**
 * The live specification as a page shows it: what is asked, what is seen, which codes say that it is broken. Bounds come
 * from `src/spec/`, so that none is written twice; each code of a stream stands in exactly one row (a test holds that).
 */
import { bitrateRange, isListedAt30Only } from '../../../rules/profile.js';
import type { ErrorView } from '../../../spec/error-view.js';
import { LIVE } from '../../../spec/live.js';
import { FRAME_RATE } from '../../../spec/tolerances.js';
import type { HealthView } from '../../protocol.js';
import { duration, hertz, kbps, number, seconds } from './format.js';

/** What is seen: the observed values, and how long the broadcast has lasted by the wall, over all its connections. */
export type Seen = HealthView & { readonly broadcast_ms?: number };

export interface SpecRow {
  readonly id: string;
  readonly group: 'Video' | 'Audio' | 'Stream';
  readonly title: string;
  readonly codes: readonly number[];
  /** Has a value that people set or watch; the others matter when they are broken. */
  readonly watched?: true;
  /** What the specification asks, for what is seen where that matters. */
  bound(health: HealthView | undefined): string;
  /** `undefined`: there is nothing to judge yet. `against`: the records that speak against the row now. */
  observed(seen: Seen, against: readonly ErrorView[]): string | undefined;
  /** For a bar: the value with the band that is allowed. */
  gauge?(seen: Seen, against: readonly ErrorView[]): Gauge | undefined;
}

export interface Gauge {
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

const { audio, keyFrameInterval, videoCodec } = LIVE;

const SIZES = [...new Set(LIVE.profiles.map(({ width, height }) => `${width}×${height}`))];
export const HIGHEST_FPS = Math.floor(FRAME_RATE.maxFps.value);

const flows = (health: HealthView): boolean => health.width !== undefined || health.audio_codec !== undefined;
const kept = (text: string) => (health: HealthView) => (flows(health) ? text : undefined);

function range(
  health: HealthView,
): { readonly minKbps: number; readonly maxKbps: number; readonly name: string } | undefined {
  const { width, height, frame_rate_class } = health;
  if (width === undefined || height === undefined) return undefined;
  return bitrateRange(width, height, frame_rate_class ?? 30);
}

export function videoBitrateBand(
  health: HealthView | undefined,
): { readonly min: number; readonly max: number } | undefined {
  const found = health === undefined ? undefined : range(health);
  return found === undefined ? undefined : { min: found.minKbps, max: found.maxKbps };
}

function lasted({ broadcast_ms, stream_time_ms }: Seen): number {
  return broadcast_ms ?? stream_time_ms;
}

/** While a key frame is overdue, the last interval still looks well; how long it is missing stands in the record. */
function overdueMs(against: readonly ErrorView[]): number {
  return Math.max(0, ...against.map(({ unit, worst }) => (unit === 'ms' && typeof worst === 'number' ? worst : 0)));
}

/** 0: none has been seen. */
function intervalMs(seen: Seen, against: readonly ErrorView[]): number {
  return Math.max(seen.key_frame_interval_ms ?? 0, seen.since_key_frame_ms ?? 0, overdueMs(against));
}

function levelName(levelIdc: number): string {
  return levelIdc === 9 ? '1b' : (levelIdc / 10).toFixed(1);
}

function highestFps({ width, height }: HealthView): number {
  return width !== undefined && height !== undefined && isListedAt30Only(width, height) ? 30 : HIGHEST_FPS;
}

export const SPEC_ROWS: readonly SpecRow[] = [
  {
    id: 'video-bitrate',
    group: 'Video',
    title: 'Bit rate',
    watched: true,
    codes: [6210, 6211],
    bound: (health) => {
      const found = health === undefined ? undefined : range(health);
      return found === undefined
        ? 'by picture size'
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
    group: 'Video',
    title: 'Key frame interval',
    watched: true,
    codes: [6208, 6209, 6214, 6215],
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
    group: 'Video',
    title: 'Frame rate',
    watched: true,
    codes: [6206, 6408],
    bound: (health) => `at most ${health === undefined ? HIGHEST_FPS : highestFps(health)} fps`,
    observed: ({ frame_rate }) => (frame_rate === undefined ? undefined : `${number(frame_rate, 2)} fps`),
    gauge: (health) =>
      health.frame_rate === undefined ? undefined : { value: health.frame_rate, min: 0, max: highestFps(health) },
  },
  {
    id: 'picture-size',
    group: 'Video',
    title: 'Picture size',
    watched: true,
    codes: [6204, 6205],
    bound: () => SIZES.join(', '),
    observed: ({ width, height }) => (width === undefined ? undefined : `${width}×${height}`),
  },
  {
    id: 'picture-shape',
    group: 'Video',
    title: 'Picture shape',
    codes: [6207],
    bound: () => `${LIVE.aspectRatio.width}:${LIVE.aspectRatio.height}`,
    observed: ({ width, height }) =>
      width === undefined || height === undefined ? undefined : `${(width / height).toFixed(2)}:1`,
  },
  {
    id: 'video-codec',
    group: 'Video',
    title: 'Codec',
    codes: [6201],
    bound: () => videoCodec.name,
    observed: ({ video_codec }) => video_codec,
  },
  {
    id: 'level',
    group: 'Video',
    title: 'H.264 level',
    watched: true,
    codes: [6202, 6203],
    bound: (health) => `at most ${levelName(videoCodec.maxLevelTimes10[health?.frame_rate_class ?? 30])}`,
    observed: ({ h264_level_idc }) => (h264_level_idc === undefined ? undefined : levelName(h264_level_idc)),
  },
  {
    id: 'picture-coding',
    group: 'Video',
    title: 'Picture coding',
    codes: [6212, 6213, 6216, 6217],
    bound: () => 'progressive, 4:2:0 with 8 bits, one track',
    observed: ({ width }) => (width === undefined ? undefined : 'as asked'),
  },
  {
    id: 'audio-bitrate',
    group: 'Audio',
    title: 'Bit rate',
    watched: true,
    codes: [6305, 6306],
    bound: () => `${audio.bitrateKbps.preferred} kbps, at most ${audio.bitrateKbps.max} kbps`,
    observed: ({ audio_bitrate_kbps }) => (audio_bitrate_kbps === undefined ? undefined : kbps(audio_bitrate_kbps)),
    gauge: ({ audio_bitrate_kbps }) =>
      audio_bitrate_kbps === undefined ? undefined : { value: audio_bitrate_kbps, min: 0, max: audio.bitrateKbps.max },
  },
  {
    id: 'audio-codec',
    group: 'Audio',
    title: 'Codec',
    codes: [6301, 6302],
    bound: () => audio.codec,
    observed: ({ audio_codec }) => audio_codec,
  },
  {
    id: 'sample-rate',
    group: 'Audio',
    title: 'Sample rate',
    watched: true,
    codes: [6303],
    bound: () => audio.sampleRatesHz.map(hertz).join(' or '),
    observed: ({ sample_rate }) => (sample_rate === undefined ? undefined : hertz(sample_rate)),
  },
  {
    id: 'channels',
    group: 'Audio',
    title: 'Channels',
    watched: true,
    codes: [6304],
    bound: () => 'stereo',
    observed: ({ channels }) =>
      channels === undefined ? undefined : channels === 2 ? 'stereo' : channels === 1 ? 'mono' : `${channels} channels`,
  },
  {
    id: 'tracks',
    group: 'Stream',
    title: 'Audio and video',
    codes: [6401, 6402],
    bound: () => 'both',
    observed: ({ width, audio_codec }) => {
      if (width !== undefined && audio_codec !== undefined) return 'both';
      return width !== undefined ? 'video only' : audio_codec !== undefined ? 'audio only' : undefined;
    },
  },
  {
    id: 'settings',
    group: 'Stream',
    title: 'Settings',
    codes: [6403],
    bound: () => 'never change while live',
    observed: kept('unchanged'),
  },
  {
    id: 'duration',
    group: 'Stream',
    title: 'Duration',
    watched: true,
    codes: [6501, 6502],
    bound: () => `at most ${LIVE.duration.maxHours} h`,
    observed: (seen) => (flows(seen) ? duration(lasted(seen)) : undefined),
    gauge: (seen) => (flows(seen) ? { value: lasted(seen), min: 0, max: LIVE.duration.maxMs } : undefined),
  },
  {
    id: 'protocol',
    group: 'Stream',
    title: 'Protocol',
    codes: [6101],
    bound: () => LIVE.protocol,
    observed: (health) => (health.open_errors.includes(6101) ? 'RTMP without TLS' : kept(LIVE.protocol)(health)),
  },
  {
    id: 'time-stamps',
    group: 'Stream',
    title: 'Time stamps',
    codes: [6404, 6405],
    bound: () => 'rise evenly, audio with video',
    observed: kept('in order'),
  },
  {
    id: 'delivery',
    group: 'Stream',
    title: 'Delivery',
    codes: [6406, 6407],
    bound: () => 'in real time',
    observed: kept('in real time'),
  },
  {
    id: 'connection',
    group: 'Stream',
    title: 'Connection',
    codes: [6503, 6504],
    bound: () => 'one, without a break',
    observed: kept('steady'),
  },
  {
    id: 'rights',
    group: 'Stream',
    title: 'Copyright',
    codes: [6601],
    bound: () => 'content of your own',
    observed: kept('nothing found'),
  },
  {
    id: 'recording',
    group: 'Stream',
    title: 'Recording',
    codes: [6505, 6506],
    bound: () => 'to the end',
    observed: kept('goes on'),
  },
];

/** Rows of the page on the stream as a whole. */
import { LIVE } from '../../../spec/live.js';
import type { HealthView } from '../../view/protocol.js';
import { duration } from './format.js';
import type { RowText, Seen } from './row.js';

const flows = (health: HealthView): boolean => health.width !== undefined || health.audio_codec !== undefined;
const kept = (text: string) => (health: HealthView) => (flows(health) ? text : undefined);

function lasted({ broadcast_ms, stream_time_ms }: Seen): number {
  return broadcast_ms ?? stream_time_ms;
}

export const STREAM_ROWS: readonly RowText[] = [
  {
    id: 'tracks',
    title: 'Audio and video',
    faults: ['VIDEO_MISSING', 'AUDIO_MISSING'],
    bound: () => 'both',
    observed: ({ width, audio_codec }) => {
      if (width !== undefined && audio_codec !== undefined) return 'both';
      return width !== undefined ? 'video only' : audio_codec !== undefined ? 'audio only' : undefined;
    },
  },
  {
    id: 'settings',
    title: 'Settings',
    faults: ['SETTINGS_CHANGED'],
    bound: () => 'never change while live',
    observed: kept('unchanged'),
  },
  {
    id: 'duration',
    title: 'Duration',
    watched: true,
    faults: ['DURATION_EXCEEDED', 'DURATION_NEAR_LIMIT'],
    bound: () => `at most ${LIVE.duration.maxHours} h`,
    observed: (seen) => (flows(seen) ? duration(lasted(seen)) : undefined),
    gauge: (seen) => (flows(seen) ? { value: lasted(seen), min: 0, max: LIVE.duration.maxMs } : undefined),
  },
  {
    id: 'protocol',
    title: 'Protocol',
    faults: ['PROTOCOL_NOT_RTMPS'],
    bound: () => LIVE.protocol,
    observed: (health) => (health.open_errors.includes(6101) ? 'RTMP without TLS' : kept(LIVE.protocol)(health)),
  },
  {
    id: 'time-stamps',
    title: 'Time stamps',
    faults: ['TIMESTAMP_DISORDER', 'AUDIO_VIDEO_DRIFT'],
    bound: () => 'rise evenly, audio with video',
    observed: kept('in order'),
  },
  {
    id: 'delivery',
    title: 'Delivery',
    faults: ['STREAM_STARVED', 'FASTER_THAN_REAL_TIME'],
    bound: () => 'in real time',
    observed: kept('in real time'),
  },
  {
    id: 'connection',
    title: 'Connection',
    faults: ['STREAM_INTERRUPTED', 'STREAM_TAKEN_OVER'],
    bound: () => 'one, without a break',
    observed: kept('steady'),
  },
  {
    id: 'rights',
    title: 'Copyright',
    faults: ['COPYRIGHT_VIOLATION'],
    bound: () => 'content of your own',
    observed: kept('nothing found'),
  },
  {
    id: 'recording',
    title: 'Recording',
    faults: ['RECORDING_STOPPED', 'RECORDING_GAP'],
    bound: () => 'to the end',
    observed: kept('goes on'),
  },
];

/** Specification rows of the stream as a whole. */
import { LIVE } from '../../../spec/live.js';
import type { HealthView } from '../../view/protocol.js';
import { duration } from './format.js';
import { type Observed, type RowText, unlessFailing, whenAnalyzed } from './row.js';

const flows = (health: HealthView): boolean => health.width !== undefined || health.audio_codec !== undefined;
/** Shows `text` for a flowing stream without errors in this row. */
const whenOk =
  (text: string): RowText['observed'] =>
  (health, against) =>
    flows(health) ? unlessFailing(text, against) : undefined;

const NOT_CHECKED: Readonly<Record<string, string>> = {
  idle: 'Not checked: no reference content',
  unavailable: 'Not checked: ffmpeg has no chromaprint muxer',
};

function lasted({ broadcast_ms, stream_time_ms }: Observed): number {
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
    isMet: ({ width, audio_codec }) => width !== undefined && audio_codec !== undefined,
  },
  {
    id: 'settings',
    title: 'Settings',
    faults: ['SETTINGS_CHANGED'],
    bound: () => 'must not change while live',
    observed: whenOk('unchanged'),
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
    observed: (health, against) =>
      health.open_errors.includes(6101) ? 'RTMP without TLS' : whenOk(LIVE.protocol)(health, against),
  },
  {
    id: 'timestamps',
    title: 'Timestamps',
    faults: ['TIMESTAMP_DISORDER', 'AUDIO_VIDEO_DRIFT'],
    bound: () => 'in order, audio and video in sync',
    observed: whenOk('in order, in sync'),
  },
  {
    id: 'timing',
    title: 'Timing of frames',
    faults: [
      'COMPOSITION_TIME_NEGATIVE',
      'AUDIO_TIMESTAMP_DEVIATION',
      'TRACKS_INTERLEAVED_WIDELY',
      'TIMESTAMPS_DUPLICATED',
      'TIMESTAMP_JITTER',
    ],
    bound: () => 'even and interleaved',
    observed: whenAnalyzed('even and interleaved'),
  },
  {
    id: 'delivery',
    title: 'Delivery',
    faults: ['STREAM_STARVED', 'FASTER_THAN_REAL_TIME'],
    bound: () => 'in real time',
    observed: whenOk('in real time'),
  },
  {
    id: 'cause',
    title: 'Cause of a disturbance',
    faults: [
      'NETWORK_OUTAGE',
      'UPLINK_TOO_SMALL',
      'SENDER_DROPS_FRAMES',
      'BITRATE_LOWERED',
      'ENCODER_OVERLOADED',
      'RENDERER_LAGGING',
      'SOURCE_PAUSED',
      'SERVER_LATE',
    ],
    bound: () => 'undisturbed',
    observed: whenOk('undisturbed'),
  },
  {
    id: 'connection',
    title: 'Connection',
    faults: ['STREAM_INTERRUPTED', 'STREAM_TAKEN_OVER'],
    bound: () => 'one, uninterrupted',
    observed: whenOk('stable'),
  },
  {
    id: 'copyright',
    title: 'Copyright',
    faults: ['COPYRIGHT_VIOLATION', 'COPYRIGHT_MATCH'],
    bound: (health) => NOT_CHECKED[health?.copyright_check ?? ''] ?? 'your own content',
    isMet: ({ copyright_check }) => copyright_check === 'on',
    observed: (seen, against) => (seen.copyright_check === 'on' ? whenOk('no matches')(seen, against) : undefined),
  },
  {
    id: 'recording',
    title: 'Recording',
    faults: ['RECORDING_STOPPED', 'RECORDING_GAP'],
    bound: () => 'complete',
    observed: whenOk('recording'),
  },
];

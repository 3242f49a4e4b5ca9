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
    bound: () => 'must not change while live',
    observed: whenOk('unchanged'),
  },
  {
    id: 'duration',
    title: 'Duration',
    watched: true,
    bound: () => `at most ${LIVE.duration.maxHours} h`,
    observed: (seen) => (flows(seen) ? duration(lasted(seen)) : undefined),
    gauge: (seen) => (flows(seen) ? { value: lasted(seen), min: 0, max: LIVE.duration.maxMs } : undefined),
  },
  {
    id: 'protocol',
    title: 'Protocol',
    bound: () => LIVE.protocol,
    observed: (health, against) => (against.length > 0 ? 'RTMP without TLS' : whenOk(LIVE.protocol)(health, against)),
  },
  {
    id: 'timestamps',
    title: 'Timestamps',
    bound: () => 'in order, audio and video in sync',
    observed: whenOk('in order, in sync'),
  },
  {
    id: 'timing',
    title: 'Timing of frames',
    bound: () => 'even and interleaved',
    observed: whenAnalyzed('even and interleaved'),
  },
  {
    id: 'delivery',
    title: 'Delivery',
    bound: () => 'in real time',
    observed: whenOk('in real time'),
  },
  {
    id: 'cause',
    title: 'Cause of a disturbance',
    bound: () => 'undisturbed',
    observed: whenOk('undisturbed'),
  },
  {
    id: 'connection',
    title: 'Connection',
    bound: () => 'one, uninterrupted',
    observed: whenOk('stable'),
  },
  {
    id: 'copyright',
    title: 'Copyright',
    bound: (health) => NOT_CHECKED[health?.copyright_check ?? ''] ?? 'your own content',
    isMet: ({ copyright_check }) => copyright_check === 'on',
    observed: (seen, against) => (seen.copyright_check === 'on' ? whenOk('no matches')(seen, against) : undefined),
  },
  {
    id: 'recording',
    title: 'Recording',
    bound: () => 'complete',
    observed: whenOk('recording'),
  },
];

/** The metrics of the forward process, apart from the others: their tables name what that process does not load. */
import type { ForwardState } from '../../ports/index.js';
import { rows } from './process-metrics.js';

interface ForwardParts {
  readonly forwards: {
    readonly states: Readonly<Partial<Record<ForwardState, number>>>;
    readonly lagMs: number;
    readonly totals: {
      readonly bytesSent: number;
      readonly droppedMs: number;
      readonly refused: number;
      readonly lost: number;
      readonly behind: number;
    };
  };
}

const STATES: readonly ForwardState[] = [
  'off',
  'waiting',
  'connecting',
  'sending',
  'held',
  'behind',
  'retrying',
  'refused',
];

export const FORWARD_METRICS = rows<ForwardParts>()([
  {
    name: 'airlock_forward_states',
    help: 'Forwards of running broadcasts, by state.',
    kind: 'gauge',
    label: 'state',
    series: STATES,
    read: ({ forwards }) => forwards.states,
  },
  {
    name: 'airlock_forward_lag_seconds',
    help: 'Age of the oldest packet that waits for a target, of the forward where it is highest.',
    kind: 'gauge',
    sum: 'highest',
    read: ({ forwards }) => forwards.lagMs / 1_000,
  },
  {
    name: 'airlock_forward_bytes_total',
    help: 'Bytes of media sent to targets.',
    kind: 'counter',
    read: ({ forwards }) => forwards.totals.bytesSent,
  },
  {
    name: 'airlock_forward_dropped_seconds_total',
    help: 'Media that was left out for targets that were too slow, or away.',
    kind: 'counter',
    read: ({ forwards }) => forwards.totals.droppedMs / 1_000,
  },
  {
    name: 'airlock_forward_refused_total',
    help: 'Forwards that their target refused.',
    kind: 'counter',
    read: ({ forwards }) => forwards.totals.refused,
  },
  {
    name: 'airlock_forward_lost_total',
    help: 'Connections to targets that were lost, or did not come about.',
    kind: 'counter',
    read: ({ forwards }) => forwards.totals.lost,
  },
  {
    name: 'airlock_forward_behind_total',
    help: 'Forwards that left out parts of the stream for a slow target.',
    kind: 'counter',
    read: ({ forwards }) => forwards.totals.behind,
  },
]);

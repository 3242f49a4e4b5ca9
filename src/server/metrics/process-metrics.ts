/** Definition of a metric, and the metrics of every process. The store process loads nothing else: input from strangers is far from it. */
import type { ProcessLog } from '../system/log.js';
import { type ProcessUsage, UsageMeter } from '../system/process-usage.js';

/** Values of one metric by the value of its label. */
export type Counts = Readonly<Record<string, number>>;

export interface Metric<Parts> {
  readonly name: string;
  readonly help: string;
  /** A gauge is as it is now, and over when its process ends; a counter is the total since the start, and kept. */
  readonly kind: 'gauge' | 'counter';
  /** Name of the label, of a metric whose value is `Counts`. */
  readonly label?: string;
  /** The series that are shown, with 0 where there is no value. Absent: those that have one. */
  readonly series?: readonly string[];
  /** All labels of a series, in place of `label`. */
  readonly labels?: (series: string) => Readonly<Record<string, string>>;
  /** Over several processes, the highest value is shown in place of the sum. */
  readonly sum?: 'highest';
  /** NaN: not known. */
  read(parts: Parts): number | Counts;
}

/** A table of metrics; keeps their names as literal types. */
export const rows =
  <Parts>() =>
  <const Row extends Metric<Parts>>(table: readonly Row[]): readonly Row[] =>
    table;

interface ProcessParts {
  readonly role: string;
  readonly usage: ProcessUsage;
}

export const PROCESS_METRICS = rows<ProcessParts>()([
  {
    name: 'airlock_resident_bytes',
    help: 'Memory of all processes.',
    kind: 'gauge',
    read: ({ usage }) => usage.residentBytes,
  },
  {
    name: 'airlock_role_resident_bytes',
    help: 'Memory of the processes of a role.',
    kind: 'gauge',
    label: 'role',
    read: ({ role, usage }) => ({ [role]: usage.residentBytes }),
  },
  {
    name: 'airlock_role_heap_bytes',
    help: 'JavaScript heap in use of the processes of a role.',
    kind: 'gauge',
    label: 'role',
    read: ({ role, usage }) => ({ [role]: usage.heapBytes }),
  },
  {
    name: 'airlock_event_loop_delay_p99_seconds',
    help: 'Delay of the event loop, 99th percentile, the highest of the last minute, in the process where it is highest.',
    kind: 'gauge',
    sum: 'highest',
    read: ({ usage }) => usage.loopDelaySeconds,
  },
  {
    name: 'airlock_role_event_loop_delay_p99_seconds',
    help: 'Delay of the event loop, 99th percentile, the highest of the last minute, in the process of the role where it is highest.',
    kind: 'gauge',
    label: 'role',
    sum: 'highest',
    read: ({ role, usage }) => ({ [role]: usage.loopDelaySeconds }),
  },
  {
    name: 'airlock_cpu_seconds_total',
    help: 'CPU time of all processes.',
    kind: 'counter',
    read: ({ usage }) => usage.cpuSeconds,
  },
  {
    name: 'airlock_role_cpu_seconds_total',
    help: 'CPU time of the processes of a role.',
    kind: 'counter',
    label: 'role',
    read: ({ role, usage }) => ({ [role]: usage.cpuSeconds }),
  },
  {
    name: 'airlock_log_lines_dropped_total',
    help: 'Lines of the log that could not be written.',
    kind: 'counter',
    read: ({ usage }) => usage.logLinesDropped,
  },
]);

/** By name of the metric. Sent as JSON. */
export type Values = Readonly<Record<string, number | Counts>>;

export function read<Parts>(table: readonly Metric<Parts>[], parts: Parts): Values {
  return Object.fromEntries(table.map((row) => [row.name, row.read(parts)]));
}

/** Usage of this process, with its `own` values. */
export function ownMetrics(role: string, log: ProcessLog, own: () => Values): () => Values {
  const usage = new UsageMeter(log);
  return () => ({ ...read(PROCESS_METRICS, { role, usage: usage.now() }), ...own() });
}

/** Metrics of each role's processes, and their sums. The roles are a fixed set. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Counts, MetricsSnapshot } from './snapshot.js';

const labelNames = ['role'];

/** Returns the function that sets them. */
export function registerRoles(registry: Registry): (snapshot: MetricsSnapshot) => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const resident = gauge('airlock_role_resident_bytes', 'Memory of the processes of a role.');
  const heap = gauge('airlock_role_heap_bytes', 'JavaScript heap in use of the processes of a role.');
  const delay = gauge(
    'airlock_role_event_loop_delay_p99_seconds',
    'Delay of the event loop since the last answer, 99th percentile, in the process of the role where it is highest.',
  );
  const cpu = counter('airlock_role_cpu_seconds_total', 'CPU time of the processes of a role.');
  const restarts = counter('airlock_role_restarts_total', 'Processes of a role that were replaced.');
  const residentSum = new Gauge({ name: 'airlock_resident_bytes', help: 'Memory of all processes.', registers });
  const draining = new Gauge({
    name: 'airlock_draining',
    help: '1 while the server takes no new publisher: it was asked to drain.',
    registers,
  });
  const cpuSum = new Counter({ name: 'airlock_cpu_seconds_total', help: 'CPU time of all processes.', registers });

  return ({ residentBytes, heapBytes, loopDelaySeconds, cpuSeconds, roleRestarts, draining: isDraining }) => {
    for (const [metric, counts] of [
      [resident, residentBytes],
      [heap, heapBytes],
      [delay, loopDelaySeconds],
    ] as const) {
      metric.reset();
      for (const [role, value] of Object.entries(counts)) metric.set({ role }, value);
    }
    for (const [metric, counts] of [
      [cpu, cpuSeconds],
      [restarts, roleRestarts],
    ] as const) {
      metric.reset();
      for (const [role, value] of Object.entries(counts)) metric.inc({ role }, value);
    }
    draining.set(isDraining);
    residentSum.set(sumOf(residentBytes));
    cpuSum.reset();
    cpuSum.inc(sumOf(cpuSeconds));
  };
}

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, value) => sum + value, 0);

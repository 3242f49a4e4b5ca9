import { PROCESS_METRICS, read, type Values } from '../../../../src/server/metrics/process-metrics.js';
import { WorkerMetrics } from '../../../../src/server/metrics/values.js';
import { fakeCalls } from '../../../support/fake-calls.js';

function processes(...ids: number[]) {
  const { calls, answer, end } = fakeCalls('ingest', ...ids);
  const metrics = new WorkerMetrics({
    ids: () => calls.ids('ingest'),
    values: (id) => calls.ask('ingest', id, 'metrics'),
  });
  return {
    metrics,
    answer: (id: number, values: Values) => answer(id, values),
    end,
  };
}

test('adds up the counts of all processes', async () => {
  const { metrics, answer } = processes(1, 2);
  const collected = metrics.collect();
  answer(1, {
    airlock_publishers: 2,
    airlock_received_bytes_total: 100,
    airlock_publishes_refused_total: { ended: 1 },
    airlock_event_loop_delay_p99_seconds: 0.1,
  });
  answer(2, {
    airlock_publishers: 3,
    airlock_received_bytes_total: 10,
    airlock_publishes_refused_total: { ended: 2 },
    airlock_event_loop_delay_p99_seconds: 0.2,
  });
  expect(await collected).toMatchObject({
    airlock_publishers: 5,
    airlock_received_bytes_total: 110,
    airlock_publishes_refused_total: { ended: 3 },
    airlock_event_loop_delay_p99_seconds: 0.2,
  });
});

test('keeps the totals of an ended process, but not its current values', async () => {
  const { metrics, answer, end } = processes(1, 2);
  const first = metrics.collect();
  answer(1, { airlock_publishers: 2, airlock_received_bytes_total: 100, airlock_event_loop_delay_p99_seconds: 0.1 });
  answer(2, { airlock_publishers: 3, airlock_received_bytes_total: 10 });
  await first;
  end(1);
  const second = metrics.collect();
  answer(2, { airlock_publishers: 3, airlock_received_bytes_total: 20 });
  expect(await second).toMatchObject({ airlock_publishers: 3, airlock_received_bytes_total: 120 });
  expect(await second).not.toHaveProperty('airlock_event_loop_delay_p99_seconds');
});

test('adds up by role, shows the longest delay of each, and keeps the CPU time of a process that ended', async () => {
  const { metrics, answer, end } = processes(1, 2, 3);
  const usage = { residentBytes: 100, heapBytes: 10, cpuSeconds: 2, logLinesDropped: 1 };
  const first = metrics.collect();
  answer(1, read(PROCESS_METRICS, { role: 'ingest', usage: { ...usage, loopDelaySeconds: 0.3 } }));
  answer(2, read(PROCESS_METRICS, { role: 'ingest', usage: { ...usage, loopDelaySeconds: 0.1 } }));
  answer(3, read(PROCESS_METRICS, { role: 'store', usage: { ...usage, loopDelaySeconds: 0.2 } }));
  expect(await first).toMatchObject({
    airlock_role_resident_bytes: { ingest: 200, store: 100 },
    airlock_role_heap_bytes: { ingest: 20, store: 10 },
    airlock_role_cpu_seconds_total: { ingest: 4, store: 2 },
    airlock_role_event_loop_delay_p99_seconds: { ingest: 0.3, store: 0.2 },
    airlock_event_loop_delay_p99_seconds: 0.3,
    airlock_log_lines_dropped_total: 3,
  });
  end(1);
  end(2);
  const second = metrics.collect();
  answer(3, read(PROCESS_METRICS, { role: 'store', usage: { ...usage, loopDelaySeconds: 0 } }));
  expect(await second).toMatchObject({
    airlock_role_resident_bytes: { store: 100 },
    airlock_role_cpu_seconds_total: { ingest: 4, store: 2 },
    airlock_log_lines_dropped_total: 3,
  });
});

test('does not wait for a process that ends without a response', async () => {
  const { metrics, answer, end } = processes(1, 2);
  const collected = metrics.collect();
  answer(2, { airlock_publishers: 3 });
  end(1);
  expect(await collected).toMatchObject({ airlock_publishers: 3 });
});

test('uses the last response of a process that does not respond in time', async () => {
  const { metrics, answer } = processes(1, 2);
  const first = metrics.collect();
  answer(1, { airlock_received_bytes_total: 100 });
  answer(2, { airlock_received_bytes_total: 10 });
  await first;
  const second = metrics.collect();
  answer(2, { airlock_received_bytes_total: 20 });
  expect(await second).toMatchObject({ airlock_received_bytes_total: 120 });
  answer(1, { airlock_received_bytes_total: 150 });
  const third = metrics.collect();
  answer(1, { airlock_received_bytes_total: 160 });
  answer(2, { airlock_received_bytes_total: 30 });
  expect(await third).toMatchObject({ airlock_received_bytes_total: 190 });
});

test('returns nothing without processes', async () => {
  expect(await processes().metrics.collect()).toEqual({});
});

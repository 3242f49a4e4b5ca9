import { EMPTY_SNAPSHOT, type MetricsSnapshot, usageCounts } from '../../../../src/server/metrics/snapshot.js';
import { WorkerMetrics } from '../../../../src/server/metrics/workers.js';
import { fakeWorkers } from '../../../support/worker-channel.js';

function processes(...ids: number[]) {
  const { channel, answer, end } = fakeWorkers<null, MetricsSnapshot>(...ids);
  const metrics = new WorkerMetrics(channel);
  return {
    metrics,
    answer: (id: number, snapshot: Partial<MetricsSnapshot>) => answer(id, { ...EMPTY_SNAPSHOT, ...snapshot }),
    end,
  };
}

test('adds up the counts of all processes', async () => {
  const { metrics, answer } = processes(1, 2);
  const collected = metrics.collect();
  answer(1, { publishers: 2, bytesReceived: 100, publishesRefused: { ended: 1 }, eventLoopDelaySeconds: 0.1 });
  answer(2, { publishers: 3, bytesReceived: 10, publishesRefused: { ended: 2 }, eventLoopDelaySeconds: 0.2 });
  expect(await collected).toMatchObject({
    publishers: 5,
    bytesReceived: 110,
    publishesRefused: { ended: 3 },
    eventLoopDelaySeconds: 0.2,
  });
});

test('keeps the totals of an ended process, but not its current values', async () => {
  const { metrics, answer, end } = processes(1, 2);
  const first = metrics.collect();
  answer(1, { publishers: 2, bytesReceived: 100, eventLoopDelaySeconds: 0.1 });
  answer(2, { publishers: 3, bytesReceived: 10 });
  await first;
  end(1);
  const second = metrics.collect();
  answer(2, { publishers: 3, bytesReceived: 20 });
  expect(await second).toMatchObject({ publishers: 3, bytesReceived: 120, eventLoopDelaySeconds: 0 });
});

test('adds up by role, shows the longest delay of each, and keeps the CPU time of a process that ended', async () => {
  const { metrics, answer, end } = processes(1, 2, 3);
  const usage = { residentBytes: 100, heapBytes: 10, cpuSeconds: 2, logLinesDropped: 1 };
  const first = metrics.collect();
  answer(1, usageCounts('ingest', { ...usage, loopDelaySeconds: 0.3 }));
  answer(2, usageCounts('ingest', { ...usage, loopDelaySeconds: 0.1 }));
  answer(3, usageCounts('store', { ...usage, loopDelaySeconds: 0.2 }));
  expect(await first).toMatchObject({
    residentBytes: { ingest: 200, store: 100 },
    heapBytes: { ingest: 20, store: 10 },
    cpuSeconds: { ingest: 4, store: 2 },
    loopDelaySeconds: { ingest: 0.3, store: 0.2 },
    eventLoopDelaySeconds: 0.3,
    logLinesDropped: 3,
  });
  end(1);
  end(2);
  const second = metrics.collect();
  answer(3, usageCounts('store', { ...usage, loopDelaySeconds: 0 }));
  expect(await second).toMatchObject({
    residentBytes: { store: 100 },
    cpuSeconds: { ingest: 4, store: 2 },
    logLinesDropped: 3,
  });
});

test('does not wait for a process that ends without a response', async () => {
  const { metrics, answer, end } = processes(1, 2);
  const collected = metrics.collect();
  answer(2, { publishers: 3 });
  end(1);
  expect(await collected).toMatchObject({ publishers: 3 });
});

test('uses the last response of a process that does not respond in time', async () => {
  const { metrics, answer } = processes(1, 2);
  const first = metrics.collect();
  answer(1, { bytesReceived: 100 });
  answer(2, { bytesReceived: 10 });
  await first;
  const second = metrics.collect();
  answer(2, { bytesReceived: 20 });
  expect(await second).toMatchObject({ bytesReceived: 120 });
});

test('returns nothing without processes', async () => {
  expect(await processes().metrics.collect()).toEqual(EMPTY_SNAPSHOT);
});

import { EMPTY_SNAPSHOT, type MetricsSnapshot } from '../../../../src/server/metrics/snapshot.js';
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

test('adds up what each process says', async () => {
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

test('keeps the totals of a process that ended, and nothing of what it held', async () => {
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

test('does not wait for a process that ends instead of answering', async () => {
  const { metrics, answer, end } = processes(1, 2);
  const collected = metrics.collect();
  answer(2, { publishers: 3 });
  end(1);
  expect(await collected).toMatchObject({ publishers: 3 });
});

test('shows a process that does not answer in time as it was', async () => {
  const { metrics, answer } = processes(1, 2);
  const first = metrics.collect();
  answer(1, { bytesReceived: 100 });
  answer(2, { bytesReceived: 10 });
  await first;
  const second = metrics.collect();
  answer(2, { bytesReceived: 20 });
  expect(await second).toMatchObject({ bytesReceived: 120 });
});

test('without processes there is nothing', async () => {
  expect(await processes().metrics.collect()).toEqual(EMPTY_SNAPSHOT);
});

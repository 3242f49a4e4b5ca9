/** Lifecycle transitions of a publication on their way to a store that may be unavailable. */
import type { StateWriter } from '../../../src/broadcasts/state-writer.js';
import { DELETED, EXPIRED } from '../../../src/lifecycle/lifecycle.js';
import { StoreUnavailableError } from '../../../src/ports/index.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';

const away = () => new StoreUnavailableError('away');

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

/** A preview that waits for valid data, with a store that answers its next commits with these errors. */
async function preview(...answers: readonly Error[]): Promise<{ readonly stay: Stay; readonly asked: string[] }> {
  const stay = await harness.publish();
  const { objects } = harness.store;
  const commit = objects.commit.bind(objects);
  const asked: string[] = [];
  const left = [...answers];
  objects.commit = async (writes) => {
    const put = writes.find((write) => write.op === 'put');
    const data = put?.object.data as { status?: string; stream?: string; judgedCodes?: unknown } | undefined;
    if (data?.status !== undefined)
      asked.push(data.judgedCodes === undefined ? `${data.status} ${data.stream}` : 'judged');
    const fault = left.shift();
    if (fault !== undefined) throw fault;
    return commit(writes);
  };
  return { stay, asked };
}

const goOn = async () => true;

test('makes transitions in order, and frees the stream key after them', async () => {
  const { stay, asked } = await preview();
  const { leases } = harness.store;
  const release = leases.release.bind(leases);
  leases.release = async (lease) => {
    asked.push('key freed');
    return release(lease);
  };
  stay.send({ durationMs: 1000 });
  await harness.publications.leave(stay.publication, 'lost');
  expect(asked).toEqual(['LIVE connected', 'LIVE interrupted', 'key freed']);
});

test('retries a transition while the store is unavailable before it starts the next one', async () => {
  harness.pause = goOn;
  const { stay, asked } = await preview(away(), away());
  stay.send({ durationMs: 1000 });
  await harness.publications.leave(stay.publication, 'lost');
  expect(asked).toEqual(['LIVE connected', 'LIVE connected', 'LIVE connected', 'LIVE interrupted']);
  expect(await harness.data(stay)).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
});

test('drops the transition at shutdown while the store is unavailable', async () => {
  const { stay, asked } = await preview(away());
  stay.send({ durationMs: 1000 });
  await harness.publications.leave(stay.publication, 'lost');
  expect(asked[0]).toBe('LIVE connected');
  expect(stay.closings).toEqual([]);
});

/** What the encoder is told once its next transition is made. */
async function told(stay: Stay): Promise<unknown> {
  stay.send({ durationMs: 1000 });
  await until(() => stay.closings.length > 0);
  return stay.closings[0];
}

const ended = (data: Parameters<StateWriter['edit']>[1]) => async (id: string) =>
  void (await harness.states.edit(id, data));

test.each<[string, (id: string) => Promise<void>, object]>([
  [
    'as it was stored',
    ended((data) => ({
      ...data,
      status: 'LIVE_STOPPED',
      endReason: { code: 6501, type: 'DURATION_EXCEEDED', text: 'Eight hours.' },
    })),
    { kind: 'ended', description: 'Eight hours.', cause: 'DURATION_EXCEEDED' },
  ],
  [
    'by its owner',
    ended((data) => ({ ...data, status: 'LIVE_STOPPED' })),
    { kind: 'ended', description: 'The broadcast was ended by its owner.', cause: 'ended' },
  ],
  [
    'because it has expired',
    ended((data) => ({ ...data, status: 'SCHEDULED_EXPIRED' })),
    { kind: 'ended', description: EXPIRED.text },
  ],
  [
    'because it was deleted',
    (id) => harness.store.objects.commit([{ op: 'delete', id }]),
    { kind: 'ended', description: DELETED.text },
  ],
])('tells the encoder why its broadcast is over: %s', async (_why, end, status) => {
  const stay = await harness.publish();
  await end(stay.publication.liveVideoId);
  expect(await told(stay)).toMatchObject(status);
});

test('a transition that fails is not tried again, and the next ones are made', async () => {
  // It is tried on the last known state, then on the stored one.
  const { stay, asked } = await preview(new Error('a fault of the store'), new Error('a fault of the store'));
  expect(await told(stay)).toMatchObject({ kind: 'fault' });
  await harness.publications.leave(stay.publication, 'lost');
  expect(asked).toEqual(['LIVE connected', 'LIVE connected', 'UNPUBLISHED waiting']);
});

test('tells the encoder of a fault when it cannot be read why its broadcast is over', async () => {
  const stay = await harness.publish();
  await ended((data) => ({ ...data, status: 'LIVE_STOPPED' }))(stay.publication.liveVideoId);
  const { objects } = harness.store;
  const get = objects.get.bind(objects);
  let reads = 0;
  objects.get = async (id) => {
    reads += 1;
    if (reads > 1) throw away();
    return get(id);
  };
  expect(await told(stay)).toMatchObject({ kind: 'fault' });
  objects.get = get;
});

test('a transition that a later holder of the lease rules out closes with lease-lost', async () => {
  const stay = await harness.publish();
  await harness.states.edit(stay.publication.liveVideoId, (data) => ({ ...data, publishFence: stay.lease.fence + 1 }));
  expect(await told(stay)).toMatchObject({ kind: 'lease-lost' });
  const before = harness.changes();
  stay.send({ durationMs: 1000, channels: 1 });
  await harness.publications.leave(stay.publication, 'lost');
  expect(harness.changes()).toEqual(before);
});

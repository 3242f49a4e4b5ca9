/** What a publish costs on Redis, from the stream key to the answer. */
import type { LiveVideoData, OwnerData } from '../../src/lifecycle/documents.js';
import { IngestHarness } from '../support/ingest-harness.js';
import { RedisServer } from '../support/redis-server.js';
import { RoundTrips } from '../support/round-trips.js';

let redis: RedisServer;
let harness: IngestHarness;
let trips: RoundTrips;

beforeAll(async () => {
  redis = await RedisServer.start();
  harness = await IngestHarness.open(redis.url);
  const at = { createdMs: 0, updatedMs: 0 };
  const owner: OwnerData = { name: 'Page' };
  await harness.store.objects.commit([{ op: 'put', object: { id: '1', kind: 'page', ...at, data: owner } }]);
  trips = new RoundTrips(Reflect.get(harness.store, 'client') ?? {});
});
afterAll(async () => {
  trips?.stop();
  await harness?.close();
  await redis?.stop();
});

async function created(over: Partial<LiveVideoData> = {}): Promise<string> {
  const { live, lease } = await harness.admit(over);
  await harness.store.leases.release(lease);
  return live.id;
}

const resumed = () =>
  created({
    status: 'LIVE',
    goLiveOnData: false,
    stream: 'interrupted',
    broadcastStartMs: harness.clock.wallMs(),
  });

async function publish(id: string) {
  const from = { address: '127.0.0.1', encoder: '' };
  const admission = await harness.engine.admit(id, '', from);
  if (!admission.accepted) throw new Error(admission.description);
  const channel = { notify: () => undefined, closeWith: () => undefined };
  return harness.engine.start(admission, channel, { secure: true, clientName: '' }, harness.deps.log);
}

test('a first publish costs at most 6 round trips', async () => {
  const id = await created();
  const seen = await trips.of(() => publish(id));
  expect(seen).toHaveLength(6);
});

test('a publish that resumes a broadcast costs at most 6 round trips', async () => {
  const id = await resumed();
  const seen = await trips.of(() => publish(id));
  expect(seen).toHaveLength(6);
});

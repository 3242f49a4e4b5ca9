/** The broadcasts of the forward process: which states and leases end one. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { targetNetworks } from '../../../src/config/settings/networks.js';
import { jsonFrame } from '../../../src/forward/feed/frames.js';
import { Forwards } from '../../../src/forward/process/forwards.js';
import type { BroadcastStatus, StreamState } from '../../../src/lifecycle/documents.js';
import { edgeOf, holderOfOnce, LEASE, type Store, TOPIC } from '../../../src/ports/index.js';
import { openStore } from '../../../src/store/open.js';
import { memoryLog, realClock, temporaryFolder, until } from '../../support/store-harness.js';

const HOLDER = 'ingest-1';

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;
let forwards: Forwards;
let feed: Socket;

beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStore({ dataDir: folder.path, redisUrl: undefined, log: memoryLog(), clock: realClock });
  const names = { name: 'Origin', url: 'rtmp://127.0.0.1:1/live', sealedKey: '' };
  const data = { rootId: '1', ownerId: '7', ownerKind: 'page', when: 'always', enabled: true, ...names };
  await store.objects.commit([
    { op: 'put', object: { id: '71', kind: 'forward', createdMs: 1, updatedMs: 1, data } },
    { op: 'edgeAdd', ...edgeOf('1', 'forwards'), member: '71', score: 1 },
  ]);
  const path = join(folder.path, 'forward.sock');
  forwards = await Forwards.open({
    store,
    clock: realClock,
    log: memoryLog(),
    path,
    ownId: 'own',
    random: () => 0.5,
    reachable: { networks: targetNetworks([]) },
    secureContext: () => createSecureContext({ ca: [] }),
    unseal: () => undefined,
    isOwnProcess: (holder) => holder === 'ingest-2',
    note: () => undefined,
    idle: () => undefined,
  });
  feed = connect(path);
  await once(feed, 'connect');
  feed.write(jsonFrame('begin', { liveVideoId: '1', ownerId: '7', holder: HOLDER, isResumed: false, passed: [] }));
  await until(() => forwards.lines.length === 1);
});
afterEach(async () => {
  feed.destroy();
  forwards.close();
  await store.close();
  folder.remove();
});

const say = (status: BroadcastStatus, stream: StreamState): void =>
  store.bus.publish(TOPIC.state, { liveVideoId: '1', ownerId: '7', status, stream, atMs: 0 });

/** Resolves behind what was said, and behind the look at the lease that it led to. */
async function looked(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await store.leases.holder(LEASE.publish('1'));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

test('a state of before the broadcast was LIVE, which comes late, ends nothing', async () => {
  say('UNPUBLISHED', 'connected');
  say('SCHEDULED_LIVE', 'connected');
  await looked();
  expect(forwards.lines).toHaveLength(1);
  say('LIVE_STOPPED', 'ended');
  await until(() => forwards.lines.length === 0);
});

test.each([
  ['the process that sends it', HOLDER],
  ['one input stream of it', holderOfOnce(HOLDER, '5')],
  ['another process of this machine', holderOfOnce('ingest-2', '6')],
])('a lease of %s ends nothing', async (_what, holder) => {
  await store.leases.acquire(LEASE.publish('1'), holder, 60_000);
  say('LIVE', 'connected');
  await looked();
  expect(forwards.lines).toHaveLength(1);
});

test('a lease of another machine ends the forwards of this one', async () => {
  await store.leases.acquire(LEASE.publish('1'), holderOfOnce('elsewhere', '7'), 60_000);
  say('LIVE', 'connected');
  await until(() => forwards.lines.length === 0);
});

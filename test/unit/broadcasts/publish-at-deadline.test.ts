/** A publish meets the end of the grace time, or another publish that opens the next live video of a Page. */

import { BroadcastEngine } from '../../../src/broadcasts/broadcast-engine.js';
import { Housekeeping } from '../../../src/broadcasts/housekeeping.js';
import { JudgeFactory } from '../../../src/broadcasts/judge-factory.js';
import type { Admission } from '../../../src/broadcasts/publish-gate.js';
import type { CloseReason } from '../../../src/broadcasts/publisher/close-reasons.js';
import type { LiveVideoData, OwnerData } from '../../../src/lifecycle/documents.js';
import { ALIAS, type NodeKind, SYSTEM_EDGES } from '../../../src/ports/index.js';
import { Quickstart } from '../../../src/server/quickstart/quickstart.js';
import { IngestHarness } from '../../support/ingest-harness.js';
import { memoryLog, temporaryFolder } from '../../support/store-harness.js';

const FROM = { address: '192.0.2.7', encoder: 'FMLE/3.0' };
const GRACE_MS = 60_000;

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

const admit = (key: string, engine = harness.engine) => engine.admit(key, '', FROM);

async function accepted(key: string, engine = harness.engine): Promise<Admission> {
  const verdict = await admit(key, engine);
  if (!verdict.accepted) throw new Error(verdict.description);
  return verdict;
}

async function put(id: string, kind: NodeKind, data: object): Promise<void> {
  const atMs = harness.clock.wallMs();
  await harness.store.objects.commit([{ op: 'put', object: { id, kind, createdMs: atMs, updatedMs: atMs, data } }]);
}

/** A broadcast that was interrupted; its grace time is over, and no sweep has seen it yet. */
async function overdue(id: string, over: Partial<LiveVideoData> = {}): Promise<void> {
  const data: LiveVideoData = {
    ownerId: '1',
    ownerKind: 'page',
    videoId: '2',
    status: 'LIVE',
    goLiveOnData: false,
    keyVersion: 1,
    stopOnDeleteStream: false,
    stream: 'interrupted',
    streamSinceMs: harness.clock.wallMs(),
    broadcastStartMs: harness.clock.wallMs(),
    ...over,
  };
  await put(id, 'live_video', data);
  const score = harness.clock.wallMs() + GRACE_MS;
  await harness.store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.deadlines, member: id, score }]);
  harness.clock.advance(GRACE_MS + 1);
}

/** A Page whose persistent key leads to this live video. */
const page = (liveVideoId: string): Promise<void> =>
  put('1', 'page', { name: 'Page', persistentKeyVersion: 1, persistentLiveVideoId: liveVideoId });
const currentOf = async () => (await harness.store.objects.get<OwnerData>('1'))?.data.persistentLiveVideoId;

function sweep(): Promise<void> {
  const { deps, states, publications, engine } = harness;
  return new Housekeeping(deps, states, new JudgeFactory(deps), publications, engine.presence).sweepDeadlines();
}

async function start(admission: Admission): Promise<CloseReason[]> {
  const closings: CloseReason[] = [];
  const channel = { notify: () => undefined, closeWith: (reason: CloseReason) => void closings.push(reason) };
  await harness.engine.start(admission, channel, { secure: true, clientName: '' }, memoryLog());
  return closings;
}

test('a publish that was admitted before the grace time ended it continues the broadcast', async () => {
  await overdue('7');
  const admission = await accepted('7');
  await sweep();
  expect(await start(admission)).toEqual([]);
  await sweep();
  expect((await harness.states.load('7')).data).toMatchObject({ status: 'LIVE', stream: 'connected' });
});

test('without a publish the broadcast ends, and its lease is free', async () => {
  await overdue('7');
  await sweep();
  expect((await harness.states.load('7')).data).toMatchObject({ status: 'LIVE_STOPPED', stream: 'ended' });
  const refused = await admit('7');
  expect(refused).toMatchObject({ accepted: false, description: expect.stringMatching(/^This broadcast has ended/) });
});

test('a publish with the key of a Page gets its next live video where the last one ends while it is decided', async () => {
  await page('7');
  await overdue('7');
  const { leases } = harness.store;
  const acquire = leases.acquire.bind(leases);
  leases.acquire = async (...args) => {
    leases.acquire = acquire;
    await sweep();
    return acquire(...args);
  };
  const { live } = await accepted('1');
  expect(live.id).not.toBe('7');
  expect(await currentOf()).toBe(live.id);
});

test('an encoder without data hears that a schedule expired, not that its owner ended the broadcast', async () => {
  await overdue('7', { status: 'SCHEDULED_LIVE', stream: 'waiting' });
  const closings = await start(await accepted('7'));
  await sweep();
  expect(closings).toEqual([expect.objectContaining({ description: expect.stringContaining('has expired') })]);
});

describe('a Page has one next live video', () => {
  const liveVideos = () => harness.store.objects.edgeSize({ owner: '1', edge: 'live_videos' });

  test('for two publishes at once', async () => {
    await page('7');
    const other = new BroadcastEngine({ ...harness.deps, holder: 'another process', pause: async () => false });
    await Promise.all([harness.engine.presence.start(), other.presence.start()]);
    const verdicts = await Promise.all([admit('1'), admit('1', other)]);
    expect(verdicts.map(({ accepted }) => accepted).sort()).toEqual([false, true]);
    expect(verdicts.find((verdict) => !verdict.accepted)).toMatchObject({ reason: 'already-publishing' });
    expect(await liveVideos()).toBe(1);
    await other.close();
  });

  test('for a publish during the start of a server with quickstart', async () => {
    await page('7');
    const folder = temporaryFolder();
    const { store, clock, deps, engine } = harness;
    await put('9', 'setting', { page_id: '1', group_id: '3', user_id: '4' });
    await store.objects.commit([{ op: 'alias', alias: ALIAS.quickstart, id: '9' }]);
    let published: Promise<Admission> | undefined;
    const quickstart = new Quickstart({
      store,
      clock,
      ids: deps.ids,
      dataDir: folder.path,
      broadcasts: Object.assign(Object.create(engine.service), {
        // The publish comes between the read of the Page and the new live video.
        create: async (...args: Parameters<typeof engine.service.create>) => {
          published ??= accepted('1');
          await published;
          return engine.service.create(...args);
        },
        createNext: async (...args: Parameters<typeof engine.service.createNext>) => {
          published ??= accepted('1');
          await published;
          return engine.service.createNext(...args);
        },
        request: engine.service.request.bind(engine.service),
        persistentUrls: engine.service.persistentUrls.bind(engine.service),
      }),
      urls: { streamUrlBase: '', httpUrl: '', dashboardUrl: '' },
      ports: { rtmpsPort: 1, httpPort: 2 },
      isEmpty: async () => false,
      createOwner: async () => '',
      issueToken: async () => 'token',
      tokenWorks: async () => true,
    });
    await quickstart.prepare();
    expect(await currentOf()).toBe((await published)?.live.id);
    expect(await liveVideos()).toBe(1);
    folder.remove();
  });
});

import { edgeOf, type ForwardData, type ForwardReport, SYSTEM_EDGES, TOPIC, VOLATILE } from '../../src/ports/index.js';
import { reportOnId } from '../../src/server/admin/report-sources.js';
import { ApiHarness } from '../support/api-harness.js';

const TARGET = { url: 'rtmps://live.example.com/app', stream_key: 'very-secret-key' };

let harness: ApiHarness;
const told: unknown[] = [];

beforeAll(async () => {
  harness = await ApiHarness.open();
  harness.store.bus.subscribe(TOPIC.forwards, (message) => told.push(message));
});
afterAll(() => harness.close());
beforeEach(() => {
  told.length = 0;
});

async function added(subject: string, more: Record<string, string> = {}): Promise<string> {
  const { body } = await harness.post(`/${subject}/forwards`, { ...TARGET, ...more });
  if (body.id === undefined) throw new Error(JSON.stringify(body));
  return body.id;
}

test('a forward is added, read, changed and removed, and its key is in no answer', async () => {
  const live = await harness.live();
  const id = await added(live, { name: 'Origin' });
  expect(told).toEqual([{ subjectId: live }]);
  const { body } = await harness.get(`/${id}`);
  expect(body).toEqual({
    id,
    name: 'Origin',
    url: TARGET.url,
    when: 'always',
    enabled: true,
    subject_id: live,
    state: 'waiting',
  });
  const listed = await harness.get(`/${live}/forwards`);
  expect(listed.body.data).toEqual([body]);
  expect((await harness.get(`/${live}`, { fields: 'forwards{name,state}' })).body.forwards.data).toEqual([
    { id, name: 'Origin', state: 'waiting' },
  ]);
  expect((await harness.post(`/${id}`, { when: 'healthy', enabled: 'false' })).body).toEqual({ success: true });
  expect((await harness.get(`/${id}`)).body).toMatchObject({ when: 'healthy', enabled: false, state: 'off' });
  expect(JSON.stringify([body, listed.body])).not.toContain('secret');
  const stored = await harness.store.objects.get<ForwardData>(id);
  expect(stored?.data.sealedKey).toBe(`sealed ${TARGET.stream_key.length}`);
  expect((await harness.ask('DELETE', `/${id}`)).body).toEqual({ success: true });
  expect((await harness.get(`/${live}/forwards`)).body.data).toEqual([]);
  expect((await harness.get(`/${id}`)).body.error.code).toBe(100);
  expect(told).toHaveLength(3);
});

test('a forward of an owner is listed at each of its broadcasts', async () => {
  const live = await harness.live();
  const own = await added(live);
  const all = await added(harness.page, { name: 'All' });
  const { data } = (await harness.get(`/${live}/forwards`, { fields: 'subject_id' })).body;
  expect(data).toEqual([
    { id: own, subject_id: live },
    { id: all, subject_id: harness.page },
  ]);
  expect((await harness.get(`/${harness.page}/forwards`)).body.data).toMatchObject([{ id: all, name: 'All' }]);
  await harness.ask('DELETE', `/${all}`);
});

test('the state of a forward is that of its last report', async () => {
  const live = await harness.live();
  const id = await added(live);
  const report: ForwardReport = {
    forwardId: id,
    liveVideoId: live,
    ownerId: harness.page,
    name: 'x',
    state: 'refused',
    sinceMs: 1_700_000_000_000,
    attempts: 2,
    nextTryMs: 1_700_000_060_000,
    lastStatus: { level: 'error', code: 'A.B', description: 'No', atMs: 1_700_000_000_000 },
    reason: 'the target says "No"',
    bytesSent: 7,
    sentKbps: 8,
    lagMs: 9,
    droppedMs: 10,
    remote: '192.0.2.1:1935',
  };
  for (const key of [VOLATILE.forward(id), VOLATILE.forwardOf(id, live)])
    await harness.store.volatile.set(key, report, 60_000);
  const fields = 'state,since,attempts,next_try_time,last_status,reason,bytes_sent,sent_kbps,lag_ms,dropped_ms,remote';
  const expected = {
    id,
    state: 'refused',
    since: '2023-11-14T22:13:20+0000',
    attempts: 2,
    next_try_time: '2023-11-14T22:14:20+0000',
    last_status: { level: 'error', code: 'A.B', description: 'No', time: '2023-11-14T22:13:20+0000' },
    reason: 'the target says "No"',
    bytes_sent: 7,
    sent_kbps: 8,
    lag_ms: 9,
    dropped_ms: 10,
    remote: '192.0.2.1:1935',
  };
  expect((await harness.get(`/${id}`, { fields })).body).toEqual(expected);
  expect((await harness.get(`/${live}/forwards`, { fields })).body.data).toEqual([expected]);
  const { store } = harness;
  const forwards = { isOn: true, perSubject: 5, perOwner: 20, seal: String, refusal: async () => undefined };
  const deps = { store, clock: { wallMs: () => 1_700_000_050_000 }, forwards };
  expect((await reportOnId(deps, live))?.forwards).toEqual([
    {
      id,
      name: 'live.example.com',
      target: 'live.example.com',
      state: 'refused',
      text: 'Refused: the target says "No", next try in 10 s',
      bytes_sent: 7,
      dropped_ms: 10,
    },
  ]);
});

test.each([
  ['without a key', { url: TARGET.url }],
  ['to a target that may not be reached', { ...TARGET, url: 'rtmp://refused.example/app' }],
  ['with another word for when', { ...TARGET, when: 'sometimes' }],
])('a forward %s is refused', async (_what, params) => {
  const live = await harness.live();
  expect((await harness.post(`/${live}/forwards`, params)).body.error.code).toBe(100);
});

test('another URL needs the key again, so that it goes to no other server unseen', async () => {
  const live = await harness.live();
  const id = await added(live);
  const url = 'rtmps://other.example.com/app';
  expect((await harness.post(`/${id}`, { url })).body.error.message).toContain('stream_key');
  expect((await harness.post(`/${id}`, { url, stream_key: 'another' })).body).toEqual({ success: true });
  expect((await harness.get(`/${id}`)).body.url).toBe(url);
});

test('a broadcast and an owner have a limit, and broadcasts that are over do not count', async () => {
  const page = await harness.owner({ kind: 'page', name: 'Many', managerId: harness.user });
  const lives = await Promise.all([1, 2, 3, 4, 5].map(() => harness.live({}, page)));
  const [first = '', , , , last = ''] = lives;
  for (const live of lives.slice(0, 4)) for (let count = 0; count < 3; count++) await added(live);
  expect((await harness.post(`/${first}/forwards`, TARGET)).body.error).toMatchObject({ code: 341 });
  expect((await harness.post(`/${last}/forwards`, TARGET)).body.error.message).toContain('at most 12 forwards');
  await harness.goLive(first);
  await harness.endTo(first, 'VOD');
  await added(last);
  expect((await harness.post(`/${first}/forwards`, TARGET)).body.error.code).toBe(100);
});

test('it needs the scope to publish, and a role', async () => {
  const live = await harness.live();
  const id = await added(live);
  for (const [method, path] of [
    ['GET', `/${live}/forwards`],
    ['POST', `/${live}/forwards`],
    ['GET', `/${id}`],
    ['DELETE', `/${id}`],
  ] as const) {
    const { body } = await harness.ask(method, path, {
      token: harness.strangerToken,
      ...(method === 'POST' ? { form: TARGET } : {}),
    });
    expect([100, 200, 803]).toContain(body.error.code);
  }
  expect((await harness.get(`/${id}`)).body.id).toBe(id);
});

test('it is deleted with its live video', async () => {
  const live = await harness.live();
  const id = await added(live);
  await harness.ask('DELETE', `/${live}`);
  expect(await harness.store.objects.get(id)).toBeUndefined();
  const places = [edgeOf(harness.page, 'owned_forwards'), SYSTEM_EDGES.forwards];
  expect(await Promise.all(places.map((place) => harness.store.objects.edgeEntry(place, id)))).toEqual([
    undefined,
    undefined,
  ]);
});

test('each change leaves an audit line', async () => {
  const live = await harness.live();
  const id = await added(live);
  await harness.post(`/${id}`, { enabled: 'false' });
  await harness.ask('DELETE', `/${id}`);
  const { entries } = await harness.store.objects.page(SYSTEM_EDGES.audit, { limit: 50 });
  const lines = entries.map(({ value }) => value as { action: string; target: string });
  expect(
    lines
      .filter(({ target }) => target === id)
      .map(({ action }) => action)
      .sort(),
  ).toEqual(['add forward forwards', 'change forward', 'delete forward']);
});

/** `date_format` holds for every time in every response: no field of any node or list keeps another form. */
import { VOLATILE } from '../../src/ports/index.js';
import { ApiHarness } from '../support/api-harness.js';
import { entry, recordBody } from '../support/store-harness.js';

let harness: ApiHarness;
let live = '';
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  live = await harness.live();
  await harness.goLive(live);
  video = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
  const nowMs = harness.clock.wallMs();
  for (const key of [VOLATILE.preflight(live), VOLATILE.disagreement(live)]) {
    await harness.store.volatile.set(key, { atMs: nowMs, result: 'pass' }, 60_000);
  }
  const body = recordBody(live, 1, 1, { error_code: 6208, timestampMs: nowMs, cleared_time_ms: nowMs });
  await harness.store.records.append([entry(live, 1, 1, { change: 'raised', body })]);
  await harness.post(`/${live}/polls`, { question: 'Tea?', options: '["Yes","No"]' });
  await harness.post(`/${video}/comments`, { message: 'Hello' });
  await harness.post(`/${video}/likes`);
});
afterAll(() => harness.close());

const FORMAT = { date_format: '\\T\\I\\M\\E' };
/** ISO 8601, and seconds or milliseconds since 1970. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d|^1[6-9]\d{8}(\d{3})?$/;

/** Paths of the values that look like a time. Links have expiry times of their own. */
function times(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => times(each, `${path}.${name}`));
  }
  return TIME.test(String(value)) ? [`${path}=${value}`] : [];
}

async function everythingOf(id: string): Promise<{ id: string; fields: string; edges: string[] }> {
  const { fields, connections } = (await harness.get(`/${id}`, { metadata: '1' })).body.metadata;
  const names = fields.map(({ name }: { name: string }) => name).join();
  return { id, fields: names, edges: Object.keys(connections) };
}

test('in the fields and lists of every node', async () => {
  const upload = await harness.video();
  await harness.post(`/${upload}/captions`, { default_locale: 'none' });
  const poll = (await harness.get(`/${live}/polls`)).body.data[0].id;
  const comment = (await harness.get(`/${video}/comments`)).body.data[0].id;
  let seen = '';
  for (const each of [live, video, upload, poll, comment, harness.page, harness.user]) {
    const { id, fields, edges } = await everythingOf(each);
    const node = await harness.get(`/${id}`, { ...FORMAT, fields });
    expect([id, node.status, times(node.body)]).toEqual([id, 200, []]);
    seen += node.text;
    // A followed list of events never ends.
    for (const edge of edges.filter((name) => !/^live_(comments|reactions)$/.test(name))) {
      const { body, text } = await harness.get(`/${id}/${edge}`, { ...FORMAT, period: 'day' });
      expect([edge, times(body)]).toEqual([edge, []]);
      seen += text;
    }
  }
  expect(seen.match(/"TIME"/g)?.length).toBeGreaterThan(30);
  for (const name of ['creation_time', 'cleared_time', 'timestamp', 'created_time', 'end_time', 'atMs']) {
    expect([name, seen.includes(`"${name}":"TIME"`)]).toEqual([name, true]);
  }
});

test('in reports, records, batches, several nodes and tokens', async () => {
  const report = await harness.get(`/${live}/report`, FORMAT);
  const [{ id }] = (await harness.get(`/${live}/errors`)).body.data;
  const token = await harness.tokenOf(harness.user, { expiresMs: harness.clock.wallMs() + 3_600_000 });
  const answers = [
    report,
    await harness.get(`/${id}`, FORMAT),
    await harness.get('/', { ...FORMAT, ids: `${live},${video}`, fields: 'creation_time,created_time,id' }),
    await harness.get('/', { ...FORMAT, ids: live, fields: 'creation_time' }),
    await harness.get('/debug_token', { ...FORMAT, input_token: token }, { token }),
  ];
  for (const { body } of answers) expect(times(body)).toEqual([]);
  expect(answers[4]?.body.data).toMatchObject({ issued_at: 'TIME', expires_at: 'TIME' });
  const plain = (await harness.get('/debug_token', { input_token: token }, { token })).body.data;
  expect([typeof plain.issued_at, typeof plain.expires_at]).toEqual(['number', 'number']);

  const batch = JSON.stringify([
    { method: 'GET', relative_url: `${live}?fields=creation_time` },
    { method: 'GET', relative_url: `${live}?fields=creation_time&date_format=Y` },
  ]);
  const { body } = await harness.post('/', { ...FORMAT, batch });
  expect(body.map((each: { body: string }) => JSON.parse(each.body).creation_time)).toEqual([
    'TIME',
    String(new Date(harness.clock.wallMs()).getUTCFullYear()),
  ]);
});

import { ApiHarness, errorOf } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

interface Inner {
  readonly code: number;
  readonly headers?: { name: string; value: string }[];
  readonly body: string;
}

async function batch(operations: readonly object[], more: Record<string, string> = {}): Promise<(Inner | null)[]> {
  const reply = await harness.post('/', { batch: JSON.stringify(operations), ...more });
  expect(reply.status).toBe(200);
  return reply.body as (Inner | null)[];
}

const bodies = (inner: (Inner | null)[]) => inner.map((each) => (each === null ? null : JSON.parse(each.body)));

test('responses are in order of the calls, each with its own status', async () => {
  const answers = await batch([
    { method: 'GET', relative_url: 'me?fields=name' },
    { method: 'get', relative_url: '/v19.0/999' },
    {
      method: 'POST',
      relative_url: `${harness.page}/live_videos`,
      body: 'title=One and two&status=UNPUBLISHED&fields=title',
    },
    { method: 'GET', relative_url: `?ids=${harness.user}&fields=id` },
  ]);
  expect(answers.map((each) => each?.code)).toEqual([200, 400, 200, 200]);
  const [me, missing, live, several] = bodies(answers);
  expect(me).toEqual({ name: 'Uma User', id: harness.user });
  expect(missing.error).toMatchObject({ code: 100, error_subcode: 33 });
  expect(live).toMatchObject({ title: 'One and two' });
  expect(several).toEqual({ [harness.user]: { id: harness.user } });
  expect(answers[0]?.headers).toContainEqual({ name: 'Content-Type', value: 'application/json; charset=UTF-8' });
  expect(answers[0]?.headers?.map((each) => each.name)).toContain('ETag');
});

test.each(['/', '/v24.0', '/v24.0/', '/me'])('%s accepts a batch, as native JSON too', async (path) => {
  const reply = await harness.ask('POST', path, {
    json: { batch: [{ method: 'GET', relative_url: 'me' }], include_headers: false },
  });
  expect(reply.body).toEqual([{ code: 200, body: expect.any(String) }]);
});

test('a later call may refer to results of named calls', async () => {
  const ids = [await harness.live({ title: 'A' }), await harness.live({ title: 'B' })];
  const answers = await batch([
    {
      method: 'GET',
      relative_url: `${harness.page}/live_videos?fields=id&limit=2`,
      name: 'list',
      omit_response_on_success: false,
    },
    { method: 'GET', relative_url: '?ids={result=list:$.data.*.id}&fields=title' },
    { method: 'POST', relative_url: `${harness.page}/live_videos`, body: 'title=Made', name: 'made' },
    { method: 'POST', relative_url: '{result=made:$.id}', body: 'description=Then this' },
    { method: 'GET', relative_url: '{result=made:$.id}?fields=title,description' },
  ]);
  const [list, titles, omitted, , read] = bodies(answers);
  expect(list.data.map((each: { id: string }) => each.id).sort()).toEqual([...ids].sort());
  expect(
    Object.values(titles)
      .map((each) => (each as { title: string }).title)
      .sort(),
  ).toEqual(['A', 'B']);
  expect(omitted).toBeNull();
  expect(read.title).toBe('Made');
});

test('a call that depends on a failed one is null, and writes keep their order', async () => {
  const id = await harness.live();
  const answers = await batch([
    { method: 'GET', relative_url: 'nobody', name: 'first' },
    { method: 'GET', relative_url: 'me', depends_on: 'first' },
    ...Array.from({ length: 10 }, (_, n) => ({ method: 'POST', relative_url: id, body: `title=${n}` })),
  ]);
  expect(answers[0]?.code).toBe(404);
  expect(answers[1]).toBeNull();
  expect((await harness.get(`/${id}`, { fields: 'title' })).body.title).toBe('9');
});

test('a call may have its own token, in three places', async () => {
  const other = harness.strangerToken;
  const answers = await batch([
    { method: 'GET', relative_url: 'me?fields=id', access_token: other },
    { method: 'GET', relative_url: `me?fields=id&access_token=${other}` },
    { method: 'GET', relative_url: 'me?fields=id', access_token: 'wrong' },
  ]);
  expect(bodies(answers).slice(0, 2)).toEqual([{ id: harness.stranger }, { id: harness.stranger }]);
  expect(answers[2]?.code).toBe(401);
});

test('a call takes files of the outer request', async () => {
  const video = await harness.video();
  const form = new FormData();
  form.set('access_token', harness.token);
  form.set('captions', new Blob(['1\n00:00:01,000 --> 00:00:02,000\nHello\n']), 'a.en_US.srt');
  form.set(
    'batch',
    JSON.stringify([{ method: 'POST', relative_url: `${video}/captions`, attached_files: 'captions' }]),
  );
  const reply = await harness.ask('POST', '/', { body: form });
  expect(bodies(reply.body)).toEqual([{ success: true }]);
  expect((await harness.get(`/${video}/captions`)).body.data).toHaveLength(1);
});

test.each([
  ['a batch of more than 50 calls', Array.from({ length: 51 }, () => ({ method: 'GET', relative_url: 'me' }))],
  ['a reference to an unknown name', [{ method: 'GET', relative_url: '{result=x:$.id}' }]],
  [
    'a reference to a later call',
    [
      { method: 'GET', relative_url: 'me', depends_on: 'b' },
      { relative_url: 'me', name: 'b' },
    ],
  ],
  ['a call without a URL', [{ method: 'GET' }]],
])('%s is error 100', async (_what, operations) => {
  const reply = await harness.post('/', { batch: JSON.stringify(operations) });
  expect([reply.status, errorOf(reply).code]).toEqual([400, 100]);
});

test('a batch requires a token and cannot be nested', async () => {
  expect(errorOf(await harness.post('/', { batch: '[]' }, { token: null })).code).toBe(104);
  const [inner] = await batch([{ method: 'POST', relative_url: '/?batch=[]' }]);
  expect(inner?.code).toBe(400);
});

describe('ids', () => {
  test('returns nodes of different kinds, keyed as requested', async () => {
    const live = await harness.live();
    const { body } = await harness.get('/v24.0/', { ids: `${live},${harness.page}`, fields: 'id' });
    expect(body).toEqual({ [live]: { id: live }, [harness.page]: { id: harness.page } });
  });

  test('returns an edge of several nodes', async () => {
    const { body } = await harness.get('/v24.0/live_videos', {
      ids: `${harness.page},${harness.group}`,
      fields: 'id',
      limit: '1',
    });
    expect(Object.keys(body)).toEqual([harness.page, harness.group]);
    expect(body[harness.page].data).toHaveLength(1);
    expect(body[harness.page].paging.next).toContain(`/${harness.page}/live_videos?`);
    expect(body[harness.page].paging.next).not.toContain('ids=');
  });

  test('one invalid id fails the request, and so do more than 50', async () => {
    expect(errorOf(await harness.get('/', { ids: `${harness.page},999` }))).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
    expect(errorOf(await harness.get('/', { ids: `${harness.page},absent` }))).toMatchObject({ code: 803 });
    expect(errorOf(await harness.get('/', { ids: Array.from({ length: 51 }, (_, n) => n + 1).join(',') })).code).toBe(
      100,
    );
  });
});

describe('a short batch cannot cause unbounded work', () => {
  const described = (description: string) => harness.live({ description });
  const repeated = async (live: string, times: number) => {
    const body = `description=${'{result=a:$}'.repeat(times)}`;
    return harness.post('/', {
      batch: JSON.stringify([
        { relative_url: `${live}?fields=description`, name: 'a' },
        { method: 'POST', relative_url: live, body },
      ]),
    });
  };

  test('refuses a thousand references to one result', async () => {
    const reply = await repeated(await described('d'), 1000);
    expect([reply.status, errorOf(reply).message]).toEqual([
      400,
      '(#100) A batched call may have at most 100 references to results',
    ]);
  });

  test('refuses results that expand a call beyond the body limit', async () => {
    const reply = await repeated(await described('d'.repeat(20_000)), 100);
    expect(reply.status).toBe(200);
    const [, refused] = reply.body as Inner[];
    expect(JSON.parse(refused?.body ?? '').error.message).toBe(
      '(#100) A batched call must be at most 1048576 bytes long, results included',
    );
  });

  test.each([
    ['the parameter batch', `{"batch":[{"relative_url":"me","headers":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`],
    ['a request body', `{"title":"x","privacy":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`],
  ])('refuses deeply nested JSON in %s', async (_where, body) => {
    const reply = await harness.ask('POST', '/', { headers: { 'content-type': 'application/json' }, body });
    expect([reply.status, errorOf(reply).message]).toEqual([400, '(#100) JSON must be nested at most 32 deep']);
  });

  test('refuses deeply nested JSON in the body of a call', async () => {
    const body = `{"headers":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const [answer] = await batch([{ method: 'POST', relative_url: harness.page, body }]);
    expect([answer?.code, JSON.parse(answer?.body ?? '').error.message]).toEqual([
      400,
      '(#100) JSON must be nested at most 32 deep',
    ]);
  });
});

test('lone surrogates in a referenced result are replaced', async () => {
  const made = await harness.ask('POST', `/${harness.page}/live_videos`, {
    headers: { 'content-type': 'application/json' },
    body: '{"title":"a\\ud800b"}',
  });
  const live = made.body.id as string;
  const answers = await batch([
    { relative_url: `${live}?fields=title`, name: 'a', omit_response_on_success: false },
    { method: 'POST', relative_url: live, body: 'description={result=a:$.title}' },
  ]);
  expect(answers.map((each) => each?.code)).toEqual([200, 200]);
  expect((await harness.get(`/${live}`, { fields: 'description' })).body.description).toBe('a\ufffdb');
});

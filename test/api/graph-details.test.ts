/** Conventions that clients of the Graph interface rely on: versions, debug, subfields, batches. */
import { SUBCODES } from '../../src/spec/service-errors.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

describe('versions', () => {
  test.each([
    ['v2.3', 'v19.0'],
    ['v19.0', 'v19.0'],
    ['v21.0', 'v21.0'],
    ['v24.0', 'v24.0'],
  ])('%s is served as %s', async (wanted, served) => {
    const reply = await harness.get(`/${wanted}/${video}/comments`);
    expect([reply.status, reply.headers.get('facebook-api-version')]).toEqual([200, served]);
    const read = await harness.get(`/${wanted}/${video}`, { metadata: '1' });
    expect(read.body.metadata.connections.comments).toBe(`${harness.url}/${served}/${video}/comments`);
  });

  test.each(['v24.1', 'v25.0', 'v999.0'])('%s is newer than the newest and refused', async (wanted) => {
    const reply = await harness.get(`/${wanted}/${video}`);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 2500]);
    expect(errorOf(reply).message).toContain('the newest version is v24.0');
  });
});

describe('debug=all', () => {
  const messages = (names: string[]) => ({
    messages: names.map((name) => ({ message: `The parameter ${name} is ignored`, type: 'warning' })),
  });

  test('names every ignored parameter of a read, a list and a write', async () => {
    const read = await harness.get(`/${video}`, { debug: 'all', fields: 'id', pretty: '0', limit: '3' });
    expect(read.body).toEqual({ id: video, __debug__: messages(['pretty', 'limit']) });
    const list = await harness.get(`/${video}/comments`, { debug: 'all', limit: '3', order: 'ranked', colour: 'red' });
    expect(list.body).toMatchObject({ data: [], __debug__: messages(['colour']) });
    const errors = await harness.get(`/${video}/errors`, { debug: 'all', sdk: 'x' });
    expect(errors.body).toMatchObject({ data: [], __debug__: messages(['sdk']) });
    const write = await harness.post(`/${video}`, { debug: 'all', title: 'T', no_story: '1' });
    expect(write.body).toEqual({ success: true, __debug__: messages(['no_story']) });
  });

  test('of root paths: several nodes, a batch, tokens and encoder settings', async () => {
    const several = await harness.get('/', { ids: video, debug: 'all', fields: 'id', colour: 'red' });
    expect(several.body).toEqual({ [video]: { id: video }, __debug__: messages(['colour']) });
    const lists = await harness.get('/comments', { ids: video, debug: 'all', limit: '1', colour: 'red' });
    expect(lists.body).toMatchObject({ [video]: { data: [] }, __debug__: messages(['colour']) });
    const { body } = await harness.get('/debug_token', { debug: 'all', input_token: harness.token, colour: 'red' });
    expect(body).toMatchObject({ data: { is_valid: true }, __debug__: messages(['colour']) });
    const exchange = { grant_type: 'fb_exchange_token', fb_exchange_token: harness.token };
    const token = await harness.tokenOf(harness.user, { scopes: ['operator'] });
    const asked = { ...exchange, debug: 'all', colour: 'red' };
    const exchanged = await harness.get('/oauth/access_token', asked, { token });
    expect(exchanged.body).toMatchObject({ token_type: 'bearer', __debug__: messages(['colour']) });
    const settings = await harness.get('/video_encoder_settings', { debug: 'all', video_type: 'live', colour: 'red' });
    expect(settings.body.__debug__).toEqual(messages(['colour']));
    const batch = JSON.stringify([{ method: 'GET', relative_url: `${video}?fields=id&colour=red` }]);
    const [call] = (await harness.post('/', { batch, debug: 'all' })).body;
    expect(JSON.parse(call.body)).toEqual({ id: video, __debug__: messages(['colour']) });
  });

  test('has an empty list if nothing was ignored, and is absent otherwise', async () => {
    expect((await harness.get(`/${video}`, { debug: 'all', fields: 'id' })).body.__debug__).toEqual({ messages: [] });
    expect((await harness.get(`/${video}`, { fields: 'id', pretty: '1' })).body.__debug__).toBeUndefined();
  });
});

test.each([
  ['title{x}', 'title'],
  ['content_tags{a}', 'content_tags'],
  ['from{name{first}}', 'name'],
  ['created_time{a}', 'created_time'],
  ['live_video{status{x}}', 'status'],
])('subfields of a scalar are refused: %s', async (fields, name) => {
  expect(errorOf(await harness.get(`/${video}`, { fields }))).toMatchObject({
    code: 100,
    message: `(#100) Subfields are not supported by ${name}`,
  });
});

describe('subfields that an object cannot have are refused', () => {
  test.each([
    ['status{nope}', 'nope', 'VideoStatus'],
    ['status{video_status,processing_phase{nope}}', 'nope', 'processing_phase'],
    ['privacy{value,audience}', 'audience', 'Privacy'],
    ['format{size}', 'size', 'format'],
    ['expiration{at}', 'at', 'expiration'],
    ['live_video{nope}', 'nope', 'LiveVideo'],
    ['live_video{ingest_streams{nope}}', 'nope', 'LiveVideoInputStream'],
    ['from{nope}', 'nope', 'Page'],
  ])('%s', async (fields, name, type) => {
    const id = await harness.video();
    const { title } = (await harness.get(`/${id}`, { fields: 'title' })).body;
    const message = `(#100) Tried accessing nonexisting field (${name}) on node type (${type})`;
    expect(errorOf(await harness.get(`/${id}`, { fields }))).toMatchObject({ code: 100, message });
    expect(errorOf(await harness.post(`/${id}`, { title: 'Not set', fields }))).toMatchObject({ code: 100, message });
    expect((await harness.get(`/${id}`, { fields: 'title' })).body.title).toBe(title);
  });

  test('of a list without rows, of a broadcast and of insights', async () => {
    const live = await harness.live();
    const ask = async (path: string, fields: string) => errorOf(await harness.get(path, { fields }))?.message;
    const missing = (type: string) => `(#100) Tried accessing nonexisting field (nope) on node type (${type})`;
    expect(await ask(`/${live}/errors`, 'evidence{first{nope}}')).toBe(missing('first'));
    expect(await ask(`/${live}`, 'ingest_streams{stream_health{nope}}')).toBe(missing('stream_health'));
    expect(await ask(`/${live}`, 'recommended_encoder_settings{audio_codec_settings{nope}}')).toBe(
      missing('audio_codec_settings'),
    );
    expect(await ask(`/${video}/video_insights`, 'values{nope}')).toBe(missing('values'));
    expect(await ask(`/${video}/video_insights`, 'values{value{like},end_time}')).toBeUndefined();
  });

  test('scalars inside have none, as scalars of the node', async () => {
    expect(errorOf(await harness.get(`/${video}`, { fields: 'status{video_status{x}}' })).message).toBe(
      '(#100) Subfields are not supported by video_status',
    );
  });

  test('every key of an answer can be asked for', async () => {
    const live = await harness.live();
    await harness.goLive(live);
    await harness.engine.admit(await harness.keyOf(await harness.live({}, harness.user)), 'live', {
      address: '192.0.2.7',
      encoder: 'test',
    });
    const comment = await harness.post(`/${video}/comments`, { message: 'M', attachment_url: 'https://a.example/' });
    const errors = await harness.get(`/${harness.user}/errors`);
    const at = JSON.stringify({ time: '2099-01-01', type: 'expire_only' });
    await harness.post(`/${video}`, { expiration: at });
    const whole: [string, string[]][] = [
      [video, ['status', 'privacy', 'format', 'expiration', 'copyright_check_information']],
      [live, ['privacy', 'recommended_encoder_settings', 'encoder_setup', 'end_reason', 'preflight']],
      [harness.page, ['category_list']],
      [harness.user, ['video_upload_limits']],
      [comment.body.id, ['attachment']],
      [errors.body.data[0].id, ['refusal', 'evidence', 'changes']],
    ];
    for (const [id, fields] of whole) {
      const { body } = await harness.get(`/${id}`, { fields: fields.join() });
      const { id: _id, ...objects } = body;
      expect(Object.keys(objects)).not.toEqual([]);
      expect((await harness.get(`/${id}`, { fields: fieldsOf(objects) })).body).toEqual(body);
    }
  });

  const fieldsOf = (value: object): string =>
    Object.entries(value)
      .map(([name, inner]) => {
        const [one = inner] = Array.isArray(inner) ? inner : [];
        return typeof one === 'object' && one !== null ? `${name}{${fieldsOf(one)}}` : name;
      })
      .join();
});

test('subfields of objects and of lists of objects are selected', async () => {
  const { body } = await harness.get(`/${video}`, { fields: 'status{video_status},from{name},privacy{value}' });
  expect(body).toEqual({
    status: { video_status: 'ready' },
    from: { name: 'Paula Page', id: harness.page },
    privacy: { value: 'EVERYONE' },
    id: video,
  });
});

test('a field that the rows do not have is refused, also while the list is empty', async () => {
  const missing = (type: string) => ({
    code: 100,
    message: `(#100) Tried accessing nonexisting field (nope) on node type (${type})`,
  });
  expect(errorOf(await harness.get(`/${video}/captions`, { fields: 'locale,nope' }))).toMatchObject(
    missing('VideoCaption'),
  );
  expect(errorOf(await harness.get(`/${video}`, { fields: 'captions{nope}' }))).toMatchObject(missing('VideoCaption'));
  expect(errorOf(await harness.get(`/${video}/errors`, { fields: 'error_code,nope' }))).toMatchObject({ code: 100 });
  expect((await harness.get(`/${video}/captions`, { fields: 'locale' })).body).toEqual({ data: [] });
});

describe('compression', () => {
  const read = async (path: string, encoding: string, token?: string) => {
    const url = new URL(path, harness.url);
    if (token !== undefined) url.searchParams.set('access_token', token);
    const headers = { 'accept-encoding': encoding, ...(token ? {} : { authorization: `Bearer ${harness.token}` }) };
    const response = await fetch(url, { headers });
    return { headers: response.headers, body: (await response.json()) as { data?: unknown[]; paging?: object } };
  };

  test.each(['gzip', 'br', 'deflate'])('responses above 1 KB are sent as %s, with a weak ETag', async (encoding) => {
    const path = `/${video}?fields=id,title&metadata=1`;
    const reply = await read(path, encoding);
    expect(reply.headers.get('content-encoding')).toBe(encoding);
    expect(reply.headers.get('vary')).toContain('Accept-Encoding');
    const plain = await read(path, 'identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(reply.body).toEqual(plain.body);
    expect(reply.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`);
    const headers = { 'accept-encoding': encoding, 'if-none-match': reply.headers.get('etag') ?? '' };
    expect((await harness.get(path, {}, { headers })).status).toBe(304);
  });

  test('short responses are not, nor are those with a token or a stream key', async () => {
    const id = await harness.video();
    for (let n = 0; n < 8; n += 1) await harness.post(`/${id}/comments`, { message: 'x'.repeat(400) });
    const encodingOf = async (path: string, token?: string) =>
      (await read(path, 'gzip', token)).headers.get('content-encoding');
    expect(await encodingOf(`/${id}?fields=id`)).toBeNull();
    expect(await encodingOf(`/${id}/comments?limit=4`)).toBe('gzip');
    // The link to the next page repeats the token of the query.
    expect(await encodingOf(`/${id}/comments?limit=4`, harness.token)).toBeNull();
    expect(await encodingOf(`/${harness.page}/live_videos`)).toBeNull();
    expect(await encodingOf('/me/accounts?fields=access_token,name&metadata=1')).toBeNull();
  });

  test('a response of many rows is whole', async () => {
    const id = await harness.video();
    for (let n = 0; n < 60; n += 1) await harness.post(`/${id}/comments`, { message: `${n} ${'é'.repeat(7000)}` });
    const path = `/${id}/comments?limit=100`;
    const reply = await read(path, 'gzip');
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    expect(reply.body).toEqual((await read(path, 'identity')).body);
  });
});

test('a textual subcode has a number beside it', async () => {
  const live = await harness.live();
  await harness.goLive(live);
  const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
  expect(errorOf(await harness.post(`/${id}`, { title: 'No' }))).toMatchObject({
    error_subcode: 'LIVE_VIDEO__EDIT_API_NOT_ALLOWED',
    error_data: { subcode: SUBCODES.LIVE_VIDEO__EDIT_API_NOT_ALLOWED.number },
  });
  const numbers = Object.values(SUBCODES).map((row) => row.number);
  expect(new Set(numbers).size).toBe(7);
});

test('a batch of 50 calls adds no listener beyond the limit', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.name);
  process.on('warning', onWarning);
  try {
    for (const relative_url of [`${video}?fields=id,comments{message}`, `${video}/live_comments`, 'me/accounts']) {
      const batch = JSON.stringify(Array.from({ length: 50 }, () => ({ method: 'GET', relative_url })));
      expect((await harness.post('/', { batch })).body).toHaveLength(50);
    }
    const write = { method: 'POST', relative_url: `${video}/comments`, body: 'message=Hello' };
    expect((await harness.post('/', { batch: JSON.stringify(Array.from({ length: 50 }, () => write)) })).status).toBe(
      200,
    );
    // Warnings are emitted in a later tick.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', onWarning);
  }
  expect(warnings).toEqual([]);
});

test('a deletion that the store fails is LIVE_VIDEO__DELETE_FAILED, and can be repeated', async () => {
  const id = await harness.live();
  const { objects } = harness.store;
  const commit = objects.commit.bind(objects);
  objects.commit = (writes) =>
    writes.some((write) => write.op === 'delete') ? Promise.reject(new Error('disk full')) : commit(writes);
  const refused = await harness.delete(`/${id}`);
  objects.commit = commit;
  expect(refused.status).toBe(500);
  expect(errorOf(refused)).toMatchObject({
    code: 1,
    error_subcode: 'LIVE_VIDEO__DELETE_FAILED',
    error_data: { subcode: 1390003 },
    is_transient: true,
  });
  expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
  expect(errorOf(await harness.get(`/${id}`))).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
});

test('digits longer than any id are an id that does not exist', async () => {
  const long = '9'.repeat(25);
  for (const id of [long, `${long}_1`]) {
    expect(errorOf(await harness.get(`/${id}`))).toMatchObject({ code: 100, error_subcode: 33 });
  }
  expect(errorOf(await harness.get(`/${long}/errors`))).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
});

import { createHmac } from 'node:crypto';
import { revokeToken } from '../../src/api/access/token-issue.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';

let harness: ApiHarness;
let live = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  live = await harness.live({ status: 'UNPUBLISHED' });
});
afterAll(() => harness.close());

const raw = (path: string, init?: RequestInit) => fetch(harness.url + path, init);

describe('tokens', () => {
  test.each([
    ['query', (token: string) => harness.get('/me', { access_token: token }, { token: null })],
    ['Bearer', (token: string) => harness.get('/me', {}, { token })],
    ['OAuth', (token: string) => harness.get('/me', {}, { token: null, headers: { authorization: `OAuth ${token}` } })],
    ['body', (token: string) => harness.post('/me', { access_token: token, method: 'GET' }, { token: null })],
    [
      'JSON body',
      (token: string) => harness.ask('POST', '/me', { token: null, json: { access_token: token, method: 'get' } }),
    ],
  ])('a token is accepted in the %s', async (_where, ask) => {
    expect((await ask(harness.token)).body).toEqual({ id: harness.user, name: 'Uma User' });
  });

  test('a request without a token is error 104 for a node and 2500 for me', async () => {
    const node = await harness.get(`/${live}`, {}, { token: null });
    expect([node.status, errorOf(node).code, errorOf(node).type]).toEqual([400, 104, 'OAuthException']);
    const me = await harness.get('/me', {}, { token: null });
    expect([me.status, errorOf(me).code]).toEqual([400, 2500]);
  });

  test('an unknown, expired or revoked token is HTTP 401, error 190, with a challenge', async () => {
    const wrong = await harness.get(`/${live}`, {}, { token: 'nonsense' });
    expect(wrong.status).toBe(401);
    expect(errorOf(wrong)).toMatchObject({ code: 190, type: 'OAuthException', error_subcode: 467 });
    expect(wrong.headers.get('www-authenticate')).toMatch(
      /^OAuth "Facebook Platform" "invalid_token" "Error validating/,
    );

    const short = await harness.tokenOf(harness.user, { expiresMs: harness.clock.wallMs() + 60_000 });
    expect((await harness.get('/me', {}, { token: short })).status).toBe(200);
    harness.clock.advance(61_000);
    expect(errorOf(await harness.get('/me', {}, { token: short }))).toMatchObject({ code: 190, error_subcode: 463 });

    const revoked = await harness.tokenOf(harness.user);
    expect((await harness.get('/me', {}, { token: revoked })).status).toBe(200);
    await revokeToken(harness, revoked);
    expect(errorOf(await harness.get('/me', {}, { token: revoked }))).toMatchObject({ code: 190, error_subcode: 467 });
  });

  test('the error for a missing scope names it', async () => {
    const token = await harness.tokenOf(harness.user, { scopes: ['pages_read_engagement'] });
    const refused = await harness.post(`/${harness.page}/live_videos`, {}, { token });
    expect([refused.status, errorOf(refused).code]).toEqual([403, 200]);
    expect(errorOf(refused).message).toContain('pages_manage_posts');
  });

  test('a token or stream key in a path is redacted in the response', async () => {
    const { stream_url } = (await harness.get(`/${live}`, { fields: 'stream_url' })).body;
    const key = String(stream_url).split('/').at(-1) ?? '';
    const secret = key.split('-').at(-1) ?? '';
    expect(secret.length).toBeGreaterThan(20);
    for (const path of [
      `/${harness.token}`,
      `/v24.0/${harness.token}`,
      `/me/${harness.token}`,
      `/${live}/${key}`,
      `/${live}/errors/${secret}`,
      `/${key}`,
      `/?ids=${harness.token}`,
    ]) {
      const reply = await harness.get(path);
      expect([path, reply.status >= 400]).toEqual([path, true]);
      expect(reply.text).not.toContain(harness.token);
      expect(reply.text).not.toContain(secret);
    }
    const edge = await harness.get(`/${harness.page}/crosspost_whitelisted_pagez`);
    expect(errorOf(edge).message).toContain('/crosspost_whitelisted_pagez');
  });

  test('an invisible object gives the same response as a nonexistent one', async () => {
    const hidden = await harness.get(`/${live}`, {}, { token: harness.strangerToken });
    const never = await harness.get('/123', {}, { token: harness.strangerToken });
    const clean = (reply: typeof hidden, id: string) => ({
      ...errorOf(reply),
      message: String(errorOf(reply).message).replace(id, 'ID'),
      fbtrace_id: '',
    });
    expect(clean(hidden, live)).toEqual(clean(never, '123'));
    expect(hidden.status).toBe(never.status);
  });
});

describe('appsecret_proof', () => {
  test('a valid proof passes, an invalid one is error 100', async () => {
    const secured = await ApiHarness.open({ appSecret: 'hush', requireAppSecretProof: true });
    try {
      const proof = createHmac('sha256', 'hush').update(secured.token).digest('hex');
      expect((await secured.get('/me', { appsecret_proof: proof })).status).toBe(200);
      for (const query of [{}, { appsecret_proof: 'x' }] as Record<string, string>[]) {
        const refused = await secured.get('/me', query);
        expect(refused.status).toBe(400);
        expect(errorOf(refused)).toMatchObject({ code: 100, type: 'GraphMethodException' });
      }
    } finally {
      await secured.close();
    }
  });

  test('an appsecret_time is at most five minutes old, or ahead', async () => {
    const secured = await ApiHarness.open({ appSecret: 'hush', requireAppSecretProof: true });
    try {
      const statusAt = async (time: string) => {
        const proof = createHmac('sha256', 'hush').update(`${secured.token}|${time}`).digest('hex');
        return (await secured.get('/me', { appsecret_proof: proof, appsecret_time: time })).status;
      };
      const nowS = Math.floor(secured.clock.wallMs() / 1000);
      const statuses = (times: readonly (number | string)[]) =>
        Promise.all(times.map((time) => statusAt(String(time))));
      expect(await statuses([nowS, nowS - 280, nowS + 280])).toEqual([200, 200, 200]);
      expect(await statuses([nowS - 302, nowS + 302, nowS * 1000, 'now', `${nowS}.5`, `-${nowS}`])).toEqual(
        Array(6).fill(400),
      );
      secured.clock.advance(302_000);
      expect(await statusAt(String(nowS))).toBe(400);
    } finally {
      await secured.close();
    }
  });
});

describe('paths', () => {
  test.each(['', '/v2.5', '/v24.0', '//v19.0/'])('the prefix "%s" is accepted', async (prefix) => {
    const reply = await raw(`${prefix}/${live}?fields=status&access_token=${harness.token}`);
    expect(await reply.json()).toEqual({ status: 'UNPUBLISHED', id: live });
  });

  test.each(['/v24/me', '/v1.2.3/me', '/%E0%A4%A'])('%s is a malformed path', async (path) => {
    const reply = await harness.get(path);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 2500]);
  });

  test('unknown edges, unknown names and edges of other kinds are refused', async () => {
    expect(errorOf(await harness.get(`/${live}/foo`))).toMatchObject({
      code: 2500,
      message: 'Unknown path components: /foo',
    });
    const name = await harness.get('/absent.username');
    expect([name.status, errorOf(name).code]).toEqual([404, 803]);
    expect(errorOf(await harness.get(`/${harness.page}/captions`))).toMatchObject({ code: 2500 });
    expect(errorOf(await harness.post(`/${harness.user}/videos`))).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('other methods are refused with the error envelope', async () => {
    const reply = await harness.ask('PUT', `/${live}`);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 100]);
  });
});

describe('bodies', () => {
  const title = async () => (await harness.get(`/${live}`, { fields: 'title' })).body.title;

  test.each<[string, (value: string) => RequestInit]>([
    ['urlencoded', (value) => ({ body: new URLSearchParams({ title: value }) })],
    ['urlencoded without a content type', (value) => ({ body: Buffer.from(`title=${value}`) })],
    ['JSON', (value) => ({ body: JSON.stringify({ title: value }), headers: { 'content-type': 'application/json' } })],
    [
      'multipart',
      (value) => {
        const form = new FormData();
        form.set('title', value);
        return { body: form };
      },
    ],
  ])('a body is accepted as %s', async (_kind, init) => {
    const value = `T${Math.random()}`;
    const { headers, ...rest } = init(value);
    const reply = await raw(`/${live}`, {
      method: 'POST',
      ...rest,
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${harness.token}` },
    });
    expect(await reply.json()).toEqual({ id: live });
    expect(await title()).toBe(value);
  });

  test('a POST with an empty body takes its parameters from the URL', async () => {
    await raw(`/${live}?title=FromUrl&access_token=${harness.token}`, { method: 'POST' });
    expect(await title()).toBe('FromUrl');
  });

  test('the body takes precedence over the query', async () => {
    await raw(`/${live}?title=query&access_token=${harness.token}`, {
      method: 'POST',
      body: new URLSearchParams('title=body'),
    });
    expect(await title()).toBe('body');
  });

  test('a GET may have a JSON body', async () => {
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(`${harness.url}/${live}?access_token=${harness.token}`, {
        method: 'GET',
        headers: { 'content-type': 'application/json', 'content-length': 19 },
      });
      sent.on('response', (response) => {
        let all = '';
        response.on('data', (chunk) => {
          all += chunk;
        });
        response.on('end', () => resolve(all));
      });
      sent.on('error', reject);
      sent.end('{"fields":"status"}');
    });
    expect(JSON.parse(text)).toEqual({ status: 'UNPUBLISHED', id: live });
  });

  test.each([
    ['JSON text', { privacy: '{"value":"SELF"}' }],
    ['loose JSON', { privacy: "{value:'SELF'}" }],
    ['bracket keys', { 'privacy[value]': 'self' }],
    ['a bare value', { privacy: 'SELF' }],
  ])('an object is accepted as %s', async (_form, form) => {
    const id = await harness.live({ status: 'UNPUBLISHED', ...(form as Record<string, string>) }, harness.user);
    expect((await harness.get(`/${id}`, { fields: 'privacy{value}' })).body.privacy).toEqual({ value: 'SELF' });
  });

  test.each([
    [
      'a value of the wrong type',
      { end_live_video: 'perhaps' },
      '(#100) Param end_live_video must be a boolean (true, false, 1 or 0)',
    ],
    [
      'a value outside the enumeration',
      { master_ingest_stream_id: '2' },
      '(#100) Param master_ingest_stream_id must be one of {0, 1} - got "2".',
    ],
    ['a text that is too long', { title: 'x'.repeat(255) }, '(#100) Param title must be at most 254 characters long'],
    ['an invalid nested value', { 'privacy[value]': 'ALL' }, /^\(#100\) Param privacy\[value\] must be one of/],
  ])('%s is error 100 that names the parameter', async (_kind, form, message) => {
    const reply = await harness.post(`/${live}`, form as Record<string, string>);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 100]);
    expect(errorOf(reply).message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test.each([
    ['title=%ff', '(#100) Param title must be UTF-8, percent-encoded'],
    ['description=ok&title=caf%E9', '(#100) Param title must be UTF-8, percent-encoded'],
    ['%ff=a', '(#100) Param %ff must be UTF-8, percent-encoded'],
    [Buffer.from('title=caf\xe9', 'latin1'), '(#100) The body must be UTF-8'],
  ])('bytes that are not UTF-8 are refused, not replaced: %s', async (body, message) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const before = (await harness.get(`/${live}`, { fields: 'title' })).body;
    const inForm = await harness.ask('POST', `/${live}`, { body, headers });
    expect([inForm.status, errorOf(inForm).code, errorOf(inForm).message]).toEqual([400, 100, message]);
    if (typeof body === 'string') {
      expect(errorOf(await harness.ask('POST', `/${live}?${body}`)).message).toBe(message);
      const batch = JSON.stringify([{ method: 'POST', relative_url: live, body }]);
      const [call] = (await harness.post('/', { batch })).body;
      expect(JSON.parse(call.body).error.message).toBe(message);
    }
    expect((await harness.get(`/${live}`, { fields: 'title' })).body).toEqual(before);
  });

  test.each([
    ['%zz', '%zz'],
    ['100%', '100%'],
    ['%EF%BF%BD', '\ufffd'],
    ['caf%C3%A9+%f0%9f%98%80', 'café 😀'],
  ])('other text is kept: %s', async (sent, title) => {
    const made = await harness.live();
    await harness.ask('POST', `/${made}`, { body: `title=${sent}`, headers: { 'content-type': 'text/plain' } });
    expect((await harness.get(`/${made}`, { fields: 'title' })).body.title).toBe(title);
  });

  test('unknown parameters are ignored', async () => {
    expect((await harness.post(`/${live}`, { sdk: 'x', pretty: '1', nonsense: 'y', id: live })).status).toBe(200);
  });

  test('a body over the limit and invalid JSON are refused', async () => {
    const big = await harness.post(`/${live}`, { description: 'x'.repeat(1_100_000) });
    expect([big.status, errorOf(big).code]).toEqual([400, 100]);
    const broken = await harness.ask('POST', `/${live}`, {
      body: '{"a":',
      headers: { 'content-type': 'application/json' },
    });
    expect([broken.status, errorOf(broken).code]).toEqual([400, 100]);
  });
});

describe('responses', () => {
  test('have the envelope and the headers of the conventions', async () => {
    const reply = await harness.get(`/${live}`, { fields: 'nope' });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      error: {
        message: '(#100) Tried accessing nonexisting field (nope) on node type (LiveVideo)',
        type: 'OAuthException',
        code: 100,
        is_transient: false,
        fbtrace_id: expect.stringMatching(/^\S{8,}$/),
      },
    });
    expect(reply.headers.get('x-fb-trace-id')).toBe(errorOf(reply).fbtrace_id);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(reply.headers.get('facebook-api-version')).toBe('v24.0');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.get('x-powered-by')).toBeNull();
  });

  test('have an ETag, and are 304 when it matches', async () => {
    const first = await harness.get(`/${live}`);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"\S+"$/);
    const again = await harness.get(`/${live}`, {}, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await harness.get(`/${live}`, {}, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  test('name the position of a syntax error in fields', async () => {
    const reply = await harness.get(`/${live}`, { fields: 'a{b' });
    expect(errorOf(reply)).toMatchObject({
      code: 2500,
      message: expect.stringMatching(/^Syntax error "Expected "}"" at character 3/),
    });
  });

  test('contain fields and connections with metadata=1', async () => {
    const { metadata } = (await harness.get(`/${live}`, { metadata: '1', fields: 'id' })).body;
    expect(metadata.type).toBe('livevideo');
    expect(metadata.connections.errors).toBe(`${harness.url}/v24.0/${live}/errors`);
    expect(metadata.fields).toContainEqual({ name: 'status', description: 'State of the broadcast.', type: 'string' });
  });

  test('report health and readiness', async () => {
    expect((await harness.get('/healthz', {}, { token: null })).body).toEqual({ status: 'ok' });
    expect((await harness.get('/readyz', {}, { token: null })).body).toEqual({ status: 'ok', checks: { store: 'ok' } });
  });
});

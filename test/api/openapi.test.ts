import { createRequire } from 'node:module';
import { jest } from '@jest/globals';
import { Registry } from '../../src/api/graph/registry.js';
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';
import { GRAPH } from '../../src/spec/graph.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

test('is made once a start, and answers 304 to a client that has it', async () => {
  const first = await harness.get('/openapi.json', {}, { token: null });
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('content-encoding')).toBe('gzip');
  const making = jest.spyOn(Registry.prototype, 'route');
  const plain = await harness.get('/openapi.json', {}, { token: null, headers: { 'accept-encoding': 'identity' } });
  expect(making).not.toHaveBeenCalled();
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.text).toBe(first.text);
  const again = await harness.get('/openapi.json', {}, { token: null, headers: { 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('describes every route of the table, with the validated parameters', async () => {
  const { body, headers } = await harness.get('/openapi.json', {}, { token: null });
  expect(headers.get('content-type')).toContain('json');
  expect(body.openapi).toBe('3.1.0');
  const operations = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const { key } of GRAPH) expect(operations).toContain(key);
  const create = body.paths['/{page-id}/live_videos'].post.requestBody.content['application/json'].schema.properties;
  expect(create.status.enum).toContain('LIVE_NOW');
  expect(create.title).toMatchObject({ type: 'string', maxLength: 254 });
  expect(create.privacy.properties.value.enum).toContain('FRIENDS_OF_FRIENDS');
  const errors = body.paths['/{live-video-id}/errors'].get.parameters as { name: string; schema: object }[];
  expect(errors.map((each) => each.name)).toEqual(
    expect.arrayContaining([
      'live-video-id',
      'severity',
      'open',
      'after_revision',
      'since',
      'until',
      'limit',
      'fields',
    ]),
  );
  const poll = body.paths['/{video-id}/polls'].post.requestBody.content['application/json'].schema;
  expect(poll.required).toEqual(['question', 'options']);
  const ids = Object.values(body.paths as Record<string, Record<string, { operationId?: string }>>)
    .flatMap((methods) => Object.values(methods).map((each) => each.operationId))
    .filter((each) => each !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
});

test('describes the IDs that the answer to a DELETE has beside success', async () => {
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  const answerOf = (path: string) => body.paths[path].delete.responses[200].content['application/json'].schema;
  const named = (name: string) => ({ allOf: [{}, { properties: { [name]: { type: 'string' } } }] });
  expect(answerOf('/{live-video-id}')).toMatchObject(named('kept_video_id'));
  expect(answerOf('/{video-id}')).toMatchObject(named('deleted_live_video_id'));
  expect(answerOf('/{comment-id}')).toEqual({ $ref: '#/components/schemas/Success' });
  const record = body.components.schemas.LiveVideoError.properties;
  expect(record).toMatchObject({ broadcast_id: { type: 'string' }, video_id: { type: 'string' } });
});

test('lists every code and type of the catalog as a filter of records', async () => {
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  const parameters = body.paths['/{live-video-id}/errors'].get.parameters as { name: string; schema: object }[];
  const known = (name: string) => JSON.stringify(parameters.find((each) => each.name === name));
  expect(CATALOGUE.filter(({ code }) => !known('error_code').includes(`"${code}"`))).toEqual([]);
  expect(CATALOGUE.filter(({ type }) => !known('error_type').includes(`"${type}"`))).toEqual([]);
});

test('every reference in the document resolves', async () => {
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    (match) => match[1],
  );
  expect(references.length).toBeGreaterThan(20);
  for (const name of references) expect(Object.keys(body.components.schemas)).toContain(name);
});

test('describes every parameter', async () => {
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  type Described = { description?: string };
  const undescribed = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const { parameters = [], requestBody } = operation;
        const body = Object.entries(requestBody?.content ?? {}).flatMap(([, { schema }]) =>
          Object.entries(schema.properties as Record<string, Described>).map(([name, each]) => ({ name, ...each })),
        );
        return [...parameters, ...body]
          .filter(({ description }) => !description)
          .map(({ name }) => `${method} ${path} ${name}`);
      }),
  );
  expect(undescribed).toEqual([]);
});

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly properties: object } }> };
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}

test('every call has samples, and the SDK has each class and method that they name', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: the package brings no types
  const sdk: any = createRequire(import.meta.url)('facebook-nodejs-business-sdk');
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  const wrong = GRAPH.flatMap(({ key, method, path }) => {
    const samples = (body.paths[path][method.toLowerCase()] as Operation)['x-codeSamples'] ?? [];
    const [shell = '', script = ''] = samples.map(({ source }) => source);
    const [, name = '', call = ''] = /^await new (\w+)\(\w+\)\.(\w+)\(.*\);$/.exec(script) ?? [];
    const isCall = name === '' && /^await api\.call\('[A-Z]+', \[.*\);$/.test(script);
    const isMethod = name !== '' && typeof sdk[name]?.prototype[call] === 'function';
    return shell.startsWith('curl "$URL/v') && (isCall || isMethod) ? [] : [`${key}: ${script}`];
  });
  expect(wrong).toEqual([]);
});

test('runs the sample of a live video in the words of the SDK', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: the package brings no types
  const sdk: any = createRequire(import.meta.url)('facebook-nodejs-business-sdk');
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { configurable: true, get: () => harness.url });
  const api = sdk.FacebookAdsApi.init(harness.token, 'en_US', false);
  const run = (path: string, method: string, ids: Record<string, string>) => {
    const source: string = body.paths[path][method]['x-codeSamples'][1].source;
    const names = { ...sdk, api, ...ids };
    return new Function(...Object.keys(names), `return (async () => { return ${source} })();`)(...Object.values(names));
  };
  const made = await run('/{page-id}/live_videos', 'post', { PAGE_ID: harness.page });
  const live = { LIVE_VIDEO_ID: String(made.id) };
  expect((await run('/{live-video-id}', 'get', live))._data).toMatchObject({ title: 'Morning show' });
  await run('/{live-video-id}', 'post', live);
  expect((await run('/{live-video-id}', 'get', live))._data).toMatchObject({ title: 'Evening show' });
  expect(await run('/{live-video-id}/report', 'get', live)).toMatchObject({ id: made.id });
  expect((await run('/{live-video-id}/errors', 'get', live)).length).toBe(0);
});

test('the earlier address of the page redirects to the reference', async () => {
  const { status, headers } = await harness.get('/try', {}, { token: null });
  expect([status, headers.get('location')]).toEqual([308, 'docs/']);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

import { GRAPH } from '../../src/spec/graph.js';
import { ApiHarness } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

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

test('every reference in the document resolves', async () => {
  const { body } = await harness.get('/openapi.json', {}, { token: null });
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    (match) => match[1],
  );
  expect(references.length).toBeGreaterThan(20);
  for (const name of references) expect(Object.keys(body.components.schemas)).toContain(name);
});

test('the try page runs only its own script', async () => {
  const { status, text, headers } = await harness.get('/try', {}, { token: null });
  expect(status).toBe(200);
  expect(text).toContain('openapi.json');
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'sha256-/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

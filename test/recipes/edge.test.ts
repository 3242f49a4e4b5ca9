/**
 * The recipe for an edge (CONTRIBUTING.md): an example in its three places, read over HTTP and described in OpenAPI.
 *
 * @jest-environment node
 */
import { jest } from '@jest/globals';
import type { Route } from '../../src/api/graph/registry.js';

// The table of paths, then the table of routes.
const KEY = 'GET /{video-id}/owner_page';
const spec = await import('../../src/spec/graph.js');
jest.unstable_mockModule('../../src/spec/graph.js', () => ({
  ...spec,
  GRAPH: [
    ...spec.GRAPH,
    {
      key: KEY,
      method: 'GET',
      path: '/{video-id}/owner_page',
      node: 'video',
      edge: 'owner_page',
      purpose: 'Read the owner of a video.',
      source: 'design',
    },
  ],
}));
const registry = await import('../../src/api/graph/registry.js');
const { READ } = await import('../../src/api/access/rules.js');
const { ownerPageEdge } = await import('./edge/owner-page.js');
jest.unstable_mockModule('../../src/api/graph/registry.js', () => ({
  ...registry,
  Registry: class extends registry.Registry {
    constructor(...[types, routes]: ConstructorParameters<typeof registry.Registry>) {
      const example: Readonly<Record<string, Route>> = { [KEY]: [READ, ownerPageEdge] };
      super(types, { ...routes, ...example });
    }
  },
}));
const { ApiHarness } = await import('../support/api-harness.js');

const harness = await ApiHarness.open();
const video = await harness.video();
afterAll(() => harness.close());

test('answers at its own path', async () => {
  expect((await harness.get(`/${video}/owner_page`)).body.data).toMatchObject([
    { id: harness.page, name: 'Paula Page' },
  ]);
});

test('answers as a nested field', async () => {
  const { body } = await harness.get(`/${video}`, { fields: 'owner_page{name}' });
  expect(body.owner_page.data).toMatchObject([{ name: 'Paula Page' }]);
});

test('is in the OpenAPI document', async () => {
  const { paths } = (await harness.get('/openapi.json')).body;
  expect(Object.keys(paths)).toContain('/{video-id}/owner_page');
});

test('is hidden from viewers who may not read the video', async () => {
  expect((await harness.get(`/${video}/owner_page`, {}, { token: null })).status).not.toBe(200);
});

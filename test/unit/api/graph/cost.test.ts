import { costOf } from '../../../../src/api/graph/cost.js';
import { noParams } from '../../../../src/api/params/raw.js';
import { graphRegistry } from '../../../../src/api/routes.js';
import type { GraphMethod } from '../../../../src/spec/graph.js';

const graph = graphRegistry();

function cost(path: string, params: Record<string, string> = {}, method: GraphMethod = 'GET') {
  const segments = path.split('/').filter((part) => part !== '');
  return costOf(graph, { method, segments, params: Object.assign(noParams(), params), nowMs: 0 });
}
const rows = (path: string, fields?: string) => cost(path, fields === undefined ? {} : { fields }).rows;

test.each([
  ['a node alone', '/1', undefined, 1],
  ['plain fields', '/1', 'id,title,from{name}', 2],
  ['an edge of the default size', '/1', 'comments', 26],
  ['an edge with a limit', '/1', 'comments.limit(3){message}', 4],
  ['a limit above the largest page', '/1', 'live_videos.limit(5000)', 101],
  ['a limit of 0, of which the size is read', '/1', 'likes.limit(0).summary(true)', 2],
  ['a nested edge', 'me', 'accounts{live_videos.limit(1)}', 1 + 25 * 2],
  ['two nested full pages', '/1', 'live_videos.limit(100){errors.limit(100)}', 1 + 100 * 101],
  ['three levels of the default size', 'me', 'accounts{live_videos{comments}}', 1 + 25 * (1 + 25 * 26)],
  [
    'edges behind the nodes that fields refer to',
    '/1',
    'live_videos.limit(10){from{live_videos.limit(10)}}',
    1 + 10 * 12,
  ],
  ['aliases of one edge', '/1', 'likes.limit(7).as(a),likes.limit(8).as(b)', 16],
  ['the older form of braces', '/1', 'live_videos.limit(10).fields(errors)', 1 + 10 * 26],
  ['an edge in the path', '/1/live_videos', 'comments', 1 + 25 * 26],
  ['insights by day, which read counters of many days', '/1', 'video_insights.period(day)', 1 + 15 * 93],
  ['insights by default', '/1', 'video_insights', 26],
  ['names that are not edges', '/1', 'nonsense{nonsense}', 1],
])('computes the cost of %s', (_what, path, fields, expected) => {
  expect(rows(path, fields)).toBe(expected);
});

test('an edge of one call is not taken for the fields of another', () => {
  const fields = 'likes.limit(100)';
  expect(cost(`/1/comments ${fields}`).rows).toBe(1);
  expect(cost('/1/comments', { fields: `${fields}` }).rows).toBe(1 + 25 * 101);
  expect(cost(`/1/ ${fields}`).rows).toBe(1);
  expect(cost('/1', { fields }).rows).toBe(101);
  expect(cost('/1', { fields }, 'POST').rows).toBe(101);
});

test('several nodes, and an edge of several nodes, cost the sum', () => {
  expect(cost('/', { ids: '1,2,3', fields: 'live_videos.limit(9)' }).rows).toBe(30);
  expect(cost('/live_videos', { ids: '1,2,3', limit: '9' }).rows).toBe(30);
});

test('a write costs its response, a deletion nothing', () => {
  expect(cost('/1/live_videos', { title: 'x' }, 'POST').rows).toBe(0);
  expect(cost('/1/live_videos', { fields: 'errors.limit(9)' }, 'POST').rows).toBe(10);
  expect(cost('/1', { fields: 'comments' }, 'DELETE').rows).toBe(0);
});

test('a query of nested full pages exceeds the limit a hundredfold, and the error names the edges', () => {
  const from = (inner: string) => `live_videos.limit(100){from{${inner}}}`;
  const { rows: all, path } = cost('/1', { fields: from(from('live_videos.limit(100)')) });
  expect(all).toBe(1 + 100 * (1 + 1 + 100 * (1 + 1 + 100)));
  expect(path).toEqual(['live_videos', 'live_videos', 'live_videos']);
});

test('a fourth level of edges is refused by name, even with fields between them', () => {
  for (const fields of [
    'accounts{live_videos{comments{likes}}}',
    'live_videos.limit(1){from{live_videos.limit(1){from{live_videos.limit(1){comments.limit(1)}}}}}',
  ]) {
    expect(() => rows('me', fields)).toThrow(/Edges nest at most 3 deep - got \w+\.live_videos\.\w+\.\w+$/);
  }
  expect(() => rows('me/accounts', 'live_videos{comments{likes}}')).toThrow(/at most 3 deep/);
});

test('no edge has the name of a field that refers to another node', () => {
  const references = ['from', 'video', 'live_video', 'object', 'parent', 'ingest_streams'];
  expect(references.filter((name) => graph.isEdgeName(name))).toEqual([]);
});

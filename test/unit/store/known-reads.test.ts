import type { BatchRead, BatchResult } from '../../../src/ports/index.js';
import { type KnownKeys, KnownReads } from '../../../src/store/redis/known-reads.js';

const follow = [{ field: 'rootId' }];
const object = (id: string, data: object) => ({
  id,
  kind: 'video' as const,
  version: 1,
  createdMs: 1,
  updatedMs: 1,
  data,
});
const wanted = (more: Partial<BatchRead> = {}): BatchRead => ({
  aliases: [],
  ids: ['1'],
  follow,
  lists: [],
  counters: [],
  entry: { edge: 'roles', member: '7' },
  ...more,
});
const nothing = { aliases: [], pages: [], sizes: [], counters: [], recordCounts: [] };
const entryOf = (owner: string) => ({ name: { owner, edge: 'roles' }, member: '7', entry: undefined });
const result: BatchResult = {
  ...nothing,
  objects: [
    ['1', object('1', { ownerId: '5', rootId: '2' })],
    ['2', object('2', { ownerId: '5' })],
  ],
  entries: [entryOf('5'), entryOf('1')],
};

function opened() {
  const asked: KnownKeys[] = [];
  const reads = new KnownReads(async (keys) => {
    asked.push(keys);
    return {
      objects: keys.ids.map((id) => (id === '1' ? object(id, { ownerId: '5', title: 'new' }) : undefined)),
      entries: keys.owners.map(() => ({ member: keys.member, score: 3 })),
    };
  });
  return { asked, reads };
}

test('reads found entries again by key, and answers with their present values', async () => {
  const { asked, reads } = opened();
  expect(reads.read(wanted())).toBeUndefined();
  reads.note(wanted(), result);
  expect(await reads.read(wanted({ entry: { edge: 'roles', member: '8' } }))).toEqual({
    ...nothing,
    objects: [
      ['1', object('1', { ownerId: '5', title: 'new' })],
      ['2', undefined],
    ],
    entries: [{ name: { owner: '5', edge: 'roles' }, member: '8', entry: { member: '8', score: 3 } }],
  });
  expect(asked).toEqual([{ ids: ['1', '2'], owners: ['5'], edge: 'roles', member: '8' }]);
});

test.each<[string, Partial<BatchRead>]>([
  ['other fields', { follow: [{ field: 'rootId' }] }],
  ['another object', { ids: ['2'] }],
])('%s: not known', (_what, more) => {
  const { reads } = opened();
  reads.note(wanted(), result);
  expect(reads.read(wanted(more))).toBeUndefined();
});

test.each<[string, Partial<BatchRead>]>([
  ['several objects', { ids: ['1', '2'] }],
  ['a token to be loaded', { aliases: ['token:a'], entry: { edge: 'roles', member: { ofAlias: 'token:a' } } }],
  ['a list', { lists: [{ kind: 'video', edge: 'tags', query: { limit: 0 }, size: true }] }],
  ['a counter', { counters: [{ kind: 'video', names: ['views'] }] }],
  ['counts of records', { recordCounts: ['1'] }],
])('%s: never known', (_what, more) => {
  const { reads } = opened();
  reads.note(wanted(), result);
  reads.note(wanted(more), result);
  expect(reads.read(wanted(more))).toBeUndefined();
});

test('an object that is missing is looked for again', () => {
  const { reads } = opened();
  reads.note(wanted(), { ...result, objects: [['1', undefined]] });
  expect(reads.read(wanted())).toBeUndefined();
});

import { ConflictError, type NodeKind, type Write } from '../../src/ports/index.js';
import { freshId, type StoreHarness } from './store.contract.js';

export function put(id: string, data: unknown, expect?: number, kind: NodeKind = 'video'): Write {
  const object = { id, kind, createdMs: 5, updatedMs: 6, data };
  return expect === undefined ? { op: 'put', object } : { op: 'put', object, expect };
}

export function objectsContract(harness: StoreHarness): void {
  describe('objects', () => {
    test('are read as written, with an increasing version', async () => {
      const store = harness.store();
      const id = freshId();
      const data = { title: 'Ünïcode "quoted" \\ 😀', list: [], empty: {}, nothing: null, big: 9_007_199_254_740_991 };
      await store.objects.commit([put(id, data, 0)]);
      expect(await store.objects.get(id)).toEqual({ id, kind: 'video', version: 1, createdMs: 5, updatedMs: 6, data });
      await store.objects.commit([put(id, { title: 'b' }, 1)]);
      await store.objects.commit([put(id, { title: 'c' })]);
      expect(await store.objects.get(id)).toMatchObject({ version: 3, data: { title: 'c' } });
    });

    test('that do not exist read as undefined, for any name', async () => {
      const store = harness.store();
      const id = freshId();
      await store.objects.commit([put(id, 1)]);
      expect(await store.objects.get(freshId())).toBeUndefined();
      expect(await store.objects.getMany([freshId(), id, '', 'a\0b', 'x'.repeat(5_000), '\ud800', '{}', '}{'])).toEqual(
        [undefined, expect.objectContaining({ id }), ...Array.from({ length: 6 }, () => undefined)],
      );
      expect(await store.objects.getMany([])).toEqual([]);
    });

    test('conflict on a put or delete at another version, and the commit writes nothing', async () => {
      const store = harness.store();
      const [id, other] = [freshId(), freshId()];
      await store.objects.commit([put(id, 'first', 0)]);
      for (const write of [put(id, 'x', 0), put(id, 'x', 2), { op: 'delete', id, expect: 7 } as const]) {
        const commit = store.objects.commit([
          put(other, 'y'),
          { op: 'edgeAdd', owner: other, edge: 'videos', member: id, score: 1 },
          { op: 'count', owner: other, counter: 'likes', by: 1 },
          { op: 'alias', alias: `name:${other}`, id: other },
          write,
        ]);
        await expect(commit).rejects.toBeInstanceOf(ConflictError);
        await expect(commit).rejects.toMatchObject({ code: 'STORE_CONFLICT', id });
      }
      expect(await store.objects.get(id)).toMatchObject({ version: 1, data: 'first' });
      expect(await store.objects.get(other)).toBeUndefined();
      expect(await store.objects.edgeSize({ owner: other, edge: 'videos' })).toBe(0);
      expect(await store.objects.counters(other, ['likes'])).toEqual([0]);
      expect(await store.objects.resolveAlias(`name:${other}`)).toBeUndefined();
    });

    test('apply commits of one caller in the order of the calls, however many wait', async () => {
      const store = harness.store();
      const id = freshId();
      const commits: Promise<void>[] = [];
      for (let version = 0; version < 60; version++) {
        commits.push(store.objects.commit([put(id, { version }, version)]));
        // In several turns of the event loop, as clients write.
        if (version % 7 === 6) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(commits);
      expect(await store.objects.get(id)).toMatchObject({ version: 60, data: { version: 59 } });
    });

    test('accept exactly one of several concurrent commits at one version', async () => {
      const store = harness.store();
      const id = freshId();
      await store.objects.commit([put(id, { n: 0 })]);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          store.objects.commit([put(id, { n: n + 1 }, 1), { op: 'count', owner: id, counter: 'wins', by: 1 }]),
        ),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect(await store.objects.get(id)).toMatchObject({ version: 2 });
      expect(await store.objects.counters(id, ['wins'])).toEqual([1]);
    });

    test('lose no change of concurrent writers that retry', async () => {
      const store = harness.store();
      const id = freshId();
      await store.objects.commit([put(id, { sum: 0 })]);
      const add = async (): Promise<void> => {
        const before = await store.objects.get<{ sum: number }>(id);
        try {
          await store.objects.commit([put(id, { sum: (before?.data.sum ?? 0) + 1 }, before?.version ?? 0)]);
        } catch (error) {
          if (!(error instanceof ConflictError)) throw error;
          await add();
        }
      };
      await Promise.all(Array.from({ length: 12 }, add));
      expect(await store.objects.get(id)).toMatchObject({ version: 13, data: { sum: 12 } });
    });

    test('are deleted with their edges and counters only', async () => {
      const store = harness.store();
      const [id, other] = [freshId(), freshId()];
      const owned = { owner: id, edge: 'comments' };
      await store.objects.commit([
        put(id, 1),
        put(other, 1),
        { op: 'edgeAdd', ...owned, member: 'c1', score: 1 },
        { op: 'edgeAdd', owner: id, edge: 'likes', member: 'l1', score: 1, value: { name: 'N' } },
        { op: 'count', owner: id, counter: 'views', by: 3 },
        { op: 'edgeAdd', owner: other, edge: 'comments', member: 'c1', score: 1 },
        { op: 'count', owner: other, counter: 'views', by: 4 },
      ]);
      await store.objects.commit([{ op: 'delete', id, expect: 1 }]);
      expect(await store.objects.get(id)).toBeUndefined();
      expect(await store.objects.edgeSize(owned)).toBe(0);
      expect(await store.objects.edgeEntry(owned, 'c1')).toBeUndefined();
      expect((await store.objects.page({ owner: id, edge: 'likes' }, { limit: 5 })).entries).toEqual([]);
      expect(await store.objects.counters(id, ['views'])).toEqual([0]);
      expect(await store.objects.edgeSize({ owner: other, edge: 'comments' })).toBe(1);
      expect(await store.objects.counters(other, ['views', 'none'])).toEqual([4, 0]);
      await store.objects.commit([put(id, 2, 0), { op: 'edgeAdd', ...owned, member: 'c2', score: 2 }]);
      expect((await store.objects.page(owned, { limit: 5 })).entries.map((entry) => entry.member)).toEqual(['c2']);
    });

    test('have named counters that concurrent commits add to', async () => {
      const store = harness.store();
      const owner = freshId();
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store.objects.commit([
            { op: 'count', owner, counter: n % 3 === 0 ? 'likes' : 'views', by: n % 3 === 0 ? -1 : 2 },
          ]),
        ),
      );
      expect(await store.objects.counters(owner, ['likes', 'views', 'shares'])).toEqual([-10, 40, 0]);
    });

    test('have unique aliases that are free again after removal', async () => {
      const store = harness.store();
      const [one, two] = [freshId(), freshId()];
      const alias = `username:${one} {}é`;
      await store.objects.commit([{ op: 'alias', alias, id: one }]);
      await store.objects.commit([{ op: 'alias', alias, id: one }]);
      expect(await store.objects.resolveAlias(alias)).toBe(one);
      await expect(store.objects.commit([put(two, 1), { op: 'alias', alias, id: two }])).rejects.toBeInstanceOf(
        ConflictError,
      );
      expect(await store.objects.get(two)).toBeUndefined();
      await store.objects.commit([{ op: 'alias', alias, id: null }]);
      expect(await store.objects.resolveAlias(alias)).toBeUndefined();
      await store.objects.commit([{ op: 'alias', alias, id: two }]);
      expect(await store.objects.resolveAlias(alias)).toBe(two);
    });

    test('are refused with an invalid name', async () => {
      const store = harness.store();
      for (const id of ['', 'a\0b', '\udfff', 'x'.repeat(513), 'é'.repeat(257)]) {
        await expect(store.objects.commit([put(id, 1)])).rejects.toThrow(RangeError);
      }
      const owner = freshId();
      for (const score of [-1, 0.5, Number.NaN, 2 ** 53]) {
        await expect(store.objects.commit([{ op: 'edgeAdd', owner, edge: 'e', member: 'm', score }])).rejects.toThrow(
          RangeError,
        );
      }
    });

    test('survive closing and reopening', async () => {
      const id = freshId();
      const edge = { owner: id, edge: 'videos' };
      await harness
        .store()
        .objects.commit([
          put(id, { kept: true }),
          { op: 'edgeAdd', ...edge, member: 'm', score: 8, value: [1] },
          { op: 'count', owner: id, counter: 'likes', by: 2 },
          { op: 'alias', alias: `kept:${id}`, id },
        ]);
      const store = await harness.reopen();
      expect(await store.objects.get(id)).toMatchObject({ version: 1, data: { kept: true } });
      expect(await store.objects.edgeEntry(edge, 'm')).toEqual({ member: 'm', score: 8, value: [1] });
      expect(await store.objects.counters(id, ['likes'])).toEqual([2]);
      expect(await store.objects.resolveAlias(`kept:${id}`)).toBe(id);
    });
  });
}

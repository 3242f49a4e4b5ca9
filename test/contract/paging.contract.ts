import fc from 'fast-check';
import type { EdgeEntry, EdgePage, PageQuery, Write } from '../../src/ports/index.js';
import { freshId, type StoreHarness } from './store.contract.js';

const members = (page: EdgePage) => page.entries.map((entry) => entry.member);

/** The order that the port defines: by score, then by the member's bytes. */
function inOrder(entries: readonly EdgeEntry[], ascending: boolean): EdgeEntry[] {
  const sorted = [...entries].sort(
    (left, right) => left.score - right.score || Buffer.compare(Buffer.from(left.member), Buffer.from(right.member)),
  );
  return ascending ? sorted : sorted.reverse();
}

export function pagingContract(harness: StoreHarness): void {
  const filled = async (entries: readonly EdgeEntry[]) => {
    const edge = { owner: freshId(), edge: 'videos' };
    await harness.store().objects.commit(entries.map((entry): Write => ({ op: 'edgeAdd', ...edge, ...entry })));
    return edge;
  };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ member: `m${String(n).padStart(4, '0')}`, score: 1_000 + n }));

  describe('edges', () => {
    test('page newest first, forward by `after` and back by `before`', async () => {
      const store = harness.store();
      const edge = await filled(numbered(7));
      const first = await store.objects.page(edge, { limit: 3 });
      expect(first).toMatchObject({ hasNext: true, hasPrevious: false });
      expect(members(first)).toEqual(['m0006', 'm0005', 'm0004']);
      const second = await store.objects.page(edge, { limit: 3, after: first.entries[2]!.cursor });
      expect(second).toMatchObject({ hasNext: true, hasPrevious: true });
      expect(members(second)).toEqual(['m0003', 'm0002', 'm0001']);
      const third = await store.objects.page(edge, { limit: 3, after: second.entries[2]!.cursor });
      expect(third).toMatchObject({ hasNext: false, hasPrevious: true });
      expect(members(third)).toEqual(['m0000']);
      const back = await store.objects.page(edge, { limit: 2, before: second.entries[0]!.cursor });
      expect(back).toMatchObject({ hasNext: true, hasPrevious: true });
      expect(members(back)).toEqual(['m0005', 'm0004']);
      const start = await store.objects.page(edge, { limit: 5, before: back.entries[0]!.cursor });
      expect(start).toMatchObject({ hasNext: true, hasPrevious: false });
      expect(members(start)).toEqual(['m0006']);
    });

    test('page ascending, from an offset, and within bounds on the score', async () => {
      const store = harness.store();
      const edge = await filled(numbered(9));
      expect(members(await store.objects.page(edge, { limit: 2, ascending: true }))).toEqual(['m0000', 'm0001']);
      const skipped = await store.objects.page(edge, { limit: 2, offset: 4 });
      expect(skipped).toMatchObject({ hasNext: true, hasPrevious: true });
      expect(members(skipped)).toEqual(['m0004', 'm0003']);
      const within = await store.objects.page(edge, { limit: 9, sinceScore: 1_003, untilScore: 1_005 });
      expect(within).toMatchObject({ hasNext: false, hasPrevious: false });
      expect(members(within)).toEqual(['m0005', 'm0004', 'm0003']);
      expect(await store.objects.page(edge, { limit: 0 })).toEqual({ entries: [], hasNext: true, hasPrevious: false });
      expect(await store.objects.page(edge, { limit: 3, untilScore: -1 })).toMatchObject({
        entries: [],
        hasNext: false,
      });
      expect(await store.objects.page(edge, { limit: 3, offset: 99 })).toEqual({
        entries: [],
        hasNext: false,
        hasPrevious: true,
      });
    });

    test('have empty pages if they are empty or their name is invalid', async () => {
      const store = harness.store();
      const empty = { entries: [], hasNext: false, hasPrevious: false };
      const names = [freshId(), 'a\0b', ''].map((owner) => ({ name: { owner, edge: 'e' }, query: { limit: 5 } }));
      expect(await store.objects.pages(names)).toEqual([empty, empty, empty]);
      expect(await store.objects.edgeSize({ owner: '', edge: 'e' })).toBe(0);
      expect(await store.objects.edgeEntry({ owner: freshId(), edge: 'e' }, 'm')).toBeUndefined();
    });

    test('hold a member once: adding it again moves it and replaces its value', async () => {
      const store = harness.store();
      const edge = await filled([
        { member: 'a', score: 1, value: 'first' },
        { member: 'b', score: 2 },
      ]);
      await store.objects.commit([{ op: 'edgeAdd', ...edge, member: 'a', score: 3, value: { again: true } }]);
      expect(await store.objects.edgeSize(edge)).toBe(2);
      expect(await store.objects.edgeEntry(edge, 'a')).toEqual({ member: 'a', score: 3, value: { again: true } });
      expect(members(await store.objects.page(edge, { limit: 5 }))).toEqual(['a', 'b']);
      await store.objects.commit([{ op: 'edgeAdd', ...edge, member: 'a', score: 3 }]);
      expect(await store.objects.edgeEntry(edge, 'a')).toEqual({ member: 'a', score: 3 });
      await store.objects.commit([
        { op: 'edgeRemove', ...edge, member: 'a' },
        { op: 'edgeRemove', ...edge, member: 'absent' },
      ]);
      expect(await store.objects.edgeSize(edge)).toBe(1);
      expect(members(await store.objects.page(edge, { limit: 5 }))).toEqual(['b']);
    });

    test('are read several at a time, in request order', async () => {
      const store = harness.store();
      const [one, two] = [await filled(numbered(2)), await filled(numbered(1))];
      const pages = await store.objects.pages([
        { name: two, query: { limit: 1 } },
        { name: one, query: { limit: 1, ascending: true } },
        { name: one, query: { limit: 5 } },
      ]);
      expect(pages.map(members)).toEqual([['m0000'], ['m0000'], ['m0001', 'm0000']]);
      expect(await store.objects.pages([])).toEqual([]);
    });

    test('refuse invalid cursors', async () => {
      const edge = await filled(numbered(1));
      for (const after of ['', 'x', '!!!!', Buffer.from('12').toString('base64url'), 'A'.repeat(100_000)]) {
        await expect(harness.store().objects.page(edge, { limit: 1, after })).rejects.toMatchObject({
          code: 'STORE_INVALID_CURSOR',
        });
      }
    });

    test('page like a sorted list for random entries and queries', async () => {
      const store = harness.store();
      const member = fc.oneof(
        fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        fc.constantFrom('a', 'b', 'z'.repeat(80), '\u0001', '\uffff', '😀', 'é', '{', '}'),
      );
      const entries = fc.uniqueArray(
        fc.record({
          member,
          score: fc.oneof(
            fc.nat(4),
            fc.nat(),
            fc.maxSafeNat().map((n) => Math.min(n, 2 ** 53 - 2)),
          ),
        }),
        {
          selector: (entry) => entry.member,
          maxLength: 12,
        },
      );
      const query = fc.record(
        {
          ascending: fc.boolean(),
          offset: fc.nat(3),
          sinceScore: fc.nat(5),
          untilScore: fc.nat(5),
          at: fc.nat(12),
          back: fc.boolean(),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(entries, query, fc.nat(6), async (rows, asked, limit) => {
          const { at, back, ...rest } = asked;
          const edge = await filled(rows);
          const all = inOrder(rows, rest.ascending ?? false);
          const cursors = (await store.objects.page(edge, { limit: 20, ascending: rest.ascending ?? false })).entries;
          expect(cursors.map((entry) => entry.member)).toEqual(all.map((entry) => entry.member));
          const pivot = at === undefined || cursors.length === 0 ? undefined : at % cursors.length;
          const cursor =
            pivot === undefined
              ? {}
              : back === true
                ? { before: cursors[pivot]!.cursor }
                : { after: cursors[pivot]!.cursor };
          const page = await store.objects.page(edge, { limit, ...rest, ...cursor });
          const inside = (entry: EdgeEntry) =>
            entry.score >= (rest.sinceScore ?? 0) && entry.score <= (rest.untilScore ?? Number.MAX_SAFE_INTEGER);
          const indexes = all.map((_, index) => index).filter((index) => inside(all[index]!));
          const offset = rest.offset ?? 0;
          const walked =
            pivot !== undefined && back === true
              ? indexes
                  .filter((index) => index < pivot)
                  .reverse()
                  .slice(offset)
              : indexes.filter((index) => pivot === undefined || index > pivot).slice(offset);
          const shown = walked.slice(0, limit);
          const expected = pivot !== undefined && back === true ? [...shown].reverse() : shown;
          expect(page.entries.map((entry) => entry.member)).toEqual(expected.map((index) => all[index]!.member));
          if (shown.length > 0) {
            expect(page.hasNext).toBe(indexes.some((index) => index > expected.at(-1)!));
            expect(page.hasPrevious).toBe(indexes.some((index) => index < expected[0]!));
          }
        }),
        { numRuns: 150 },
      );
    });

    test('neither skip nor repeat a row while others are added and removed between pages', async () => {
      const store = harness.store();
      const steps = fc.array(fc.record({ add: fc.boolean(), score: fc.nat(40), name: fc.nat(30) }), { maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (changes, limit, ascending) => {
          const lasting = Array.from({ length: 10 }, (_, n) => ({ member: `lasting${n}`, score: n * 4 }));
          const edge = await filled(lasting);
          const seen: string[] = [];
          let query: PageQuery = { limit, ascending };
          for (let step = 0; ; step += 1) {
            const page = await store.objects.page(edge, query);
            seen.push(...members(page));
            const last = page.entries.at(-1);
            if (last === undefined || !page.hasNext) break;
            query = { limit, ascending, after: last.cursor };
            const change = changes[step];
            const member = `other${change?.name ?? 0}`;
            if (change?.add) await store.objects.commit([{ op: 'edgeAdd', ...edge, member, score: change.score }]);
            else if (change) await store.objects.commit([{ op: 'edgeRemove', ...edge, member }]);
          }
          const kept = seen.filter((member) => member.startsWith('lasting'));
          expect(kept).toEqual(inOrder(lasting, ascending).map((entry) => entry.member));
        }),
        { numRuns: 60 },
      );
    });
  });
}

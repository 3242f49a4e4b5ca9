import fc from 'fast-check';
import type { JournalEntry, RecordQuery } from '../../src/ports/index.js';
import type { Severity, StoredRecord } from '../../src/spec/error-record.js';
import { entry, raised, recordBody } from '../support/store-harness.js';
import { freshId, type StoreHarness } from './store.contract.js';

const sequences = (page: { readonly records: readonly StoredRecord[] }) =>
  page.records.map((record) => record.sequence);

export function recordsContract(harness: StoreHarness): void {
  describe('error records', () => {
    test('get a sequence in the order of raising and a revision with every change', async () => {
      const store = harness.store();
      const id = freshId();
      const first = await store.records.append([raised(id, 1, 1), raised(id, 1, 2, { severity: 'warning' })]);
      expect(first.map((record) => [record.id, record.sequence, record.revision])).toEqual([
        [`${id}_1_1`, 1, 1],
        [`${id}_1_2`, 2, 2],
      ]);
      expect(first[0]).toEqual({ ...recordBody(id, 1, 1), sequence: 1, revision: 1 });
      const counted = recordBody(id, 1, 1, { count: 2, worst: 7_000, open_ms: 1_500, opened_ms: 1_700_000_006_000 });
      const { opened_ms: _since, ...ended } = counted;
      const cleared = { ...ended, cleared_time_ms: 1_700_000_009_000, open_ms: 4_500 };
      const changes = await store.records.append([
        entry(id, 1, 3, { change: 'counted', body: counted }),
        entry(id, 1, 4, { change: 'cleared', body: cleared }),
      ]);
      expect(changes.map((record) => [record.sequence, record.revision, record.count])).toEqual([
        [1, 3, 2],
        [1, 4, 2],
      ]);
      expect(changes[0]).toMatchObject({ open_ms: 1_500, opened_ms: 1_700_000_006_000 });
      expect(await store.records.get(id, `${id}_1_1`)).toEqual({ ...cleared, sequence: 1, revision: 4 });
      expect(await store.records.get(id, 'absent')).toBeUndefined();
      expect(await store.records.counts(id)).toEqual({ total: 2, open: 1, uncounted: 0, lastRevision: 4 });
      expect(await store.records.counts(freshId())).toEqual({ total: 0, open: 0, uncounted: 0, lastRevision: 0 });
    });

    test('keep their sequence when they are raised again', async () => {
      const store = harness.store();
      const id = freshId();
      const body = recordBody(id, 1, 1);
      await store.records.append([entry(id, 1, 1, { change: 'raised', body })]);
      await store.records.append([entry(id, 1, 2, { change: 'cleared', body: { ...body, cleared_time_ms: 5 } })]);
      expect((await store.records.page(id, { limit: 5, open: true })).records).toEqual([]);
      await store.records.append([entry(id, 1, 3, { change: 'raised', body: { ...body, count: 2 } })]);
      expect(await store.records.counts(id)).toEqual({ total: 1, open: 1, uncounted: 0, lastRevision: 3 });
      expect((await store.records.page(id, { limit: 5, open: true })).records).toMatchObject([
        { sequence: 1, revision: 3, count: 2 },
      ]);
    });

    test('keep their count when the raise arrives after the count of another process', async () => {
      const store = harness.store();
      const id = freshId();
      const body = recordBody(id, 1, 1, { worst: 'says "count":9 of itself' });
      await store.records.append([entry(id, 2, 1, { change: 'counted', body: { ...body, count: 2 } })]);
      expect(await store.records.append([entry(id, 1, 1, { change: 'raised', body })])).toEqual([]);
      expect(await store.records.get(id, body.id)).toMatchObject({ sequence: 1, revision: 1, count: 2 });
      // The number of the late raise counts as applied.
      expect(await store.records.append([raised(id, 1, 2)])).toMatchObject([{ sequence: 2, revision: 2 }]);
      expect(await store.records.counts(id)).toMatchObject({ total: 2, open: 2, lastRevision: 2 });
    });

    test('keep their count when a process clears or raises them that did not know it', async () => {
      const store = harness.store();
      const id = freshId();
      const body = recordBody(id, 1, 1, { worst: 'says "count":9 of itself' });
      await store.records.append([entry(id, 1, 1, { change: 'counted', body: { ...body, count: 12 } })]);
      const cleared = { ...body, cleared_time_ms: 5 };
      expect(await store.records.append([entry(id, 2, 1, { change: 'cleared', body: cleared })])).toEqual([
        { ...cleared, count: 12, sequence: 1, revision: 2 },
      ]);
      expect(await store.records.get(id, body.id)).toEqual({ ...cleared, count: 12, sequence: 1, revision: 2 });
      await store.records.append([entry(id, 2, 2, { change: 'counted', body: { ...body, count: 2 } })]);
      expect(await store.records.get(id, body.id)).toEqual({ ...body, count: 12, sequence: 1, revision: 3 });
      await store.records.append([entry(id, 2, 3, { change: 'counted', body: { ...body, count: 13 } })]);
      expect(await store.records.get(id, body.id)).toMatchObject({ count: 13, revision: 4 });
    });

    test('are stored once if offered twice, per broadcast and fence', async () => {
      const store = harness.store();
      const [one, two] = [freshId(), freshId()];
      const entries = [raised(one, 1, 1), raised(two, 1, 1), raised(one, 1, 2), raised(one, 2, 1)];
      expect(await store.records.append(entries)).toHaveLength(4);
      expect(await store.records.append(entries)).toEqual([]);
      expect(await store.records.append([raised(one, 1, 2), raised(one, 1, 3)])).toMatchObject([
        { id: `${one}_1_3`, sequence: 4 },
      ]);
      expect(await store.records.counts(one)).toMatchObject({ total: 4, lastRevision: 4 });
      expect(await store.records.counts(two)).toMatchObject({ total: 1 });
      expect(await store.records.append([])).toEqual([]);
    });

    test('survive closing and reopening, with the numbers of applied entries', async () => {
      const id = freshId();
      await harness.store().records.append([raised(id, 3, 1)]);
      const store = await harness.reopen();
      expect(await store.records.append([raised(id, 3, 1), raised(id, 3, 2)])).toMatchObject([
        { sequence: 2, revision: 2 },
      ]);
      expect(sequences(await store.records.page(id, { limit: 10 }))).toEqual([2, 1]);
    });

    test('page newest first by sequence, and oldest change first by revision', async () => {
      const store = harness.store();
      const id = freshId();
      await store.records.append(Array.from({ length: 7 }, (_, n) => raised(id, 1, n + 1)));
      const first = await store.records.page(id, { limit: 3 });
      expect([sequences(first), first.hasNext, first.hasPrevious]).toEqual([[7, 6, 5], true, false]);
      const next = await store.records.page(id, { limit: 3, afterSequence: 5 });
      expect([sequences(next), next.hasNext, next.hasPrevious]).toEqual([[4, 3, 2], true, true]);
      const last = await store.records.page(id, { limit: 3, afterSequence: 2 });
      expect([sequences(last), last.hasNext, last.hasPrevious]).toEqual([[1], false, true]);
      const back = await store.records.page(id, { limit: 2, beforeSequence: 4 });
      expect([sequences(back), back.hasNext, back.hasPrevious]).toEqual([[6, 5], true, true]);

      await store.records.append([
        entry(id, 1, 8, { change: 'cleared', body: recordBody(id, 1, 2, { cleared_time_ms: 9 }) }),
      ]);
      const changes = await store.records.page(id, { limit: 2, afterRevision: 6 });
      expect(changes.records.map((record) => [record.sequence, record.revision])).toEqual([
        [7, 7],
        [2, 8],
      ]);
      expect(changes).toMatchObject({ hasNext: false, hasPrevious: true });
      const all = await store.records.page(id, { limit: 20, afterRevision: 0 });
      expect(all.records.map((record) => record.revision)).toEqual([1, 3, 4, 5, 6, 7, 8]);
      expect(all).toMatchObject({ hasNext: false, hasPrevious: false });
      expect(await store.records.page(freshId(), { limit: 5 })).toEqual({
        records: [],
        hasNext: false,
        hasPrevious: false,
      });
    });

    test('beyond 10,000 in one broadcast are only counted', async () => {
      const store = harness.store();
      const id = freshId();
      const entries: JournalEntry[] = Array.from({ length: 10_003 }, (_, n) => raised(id, 1, n + 1));
      for (let from = 0; from < entries.length; from += 500)
        await store.records.append(entries.slice(from, from + 500));
      expect(await store.records.counts(id)).toEqual({
        total: 10_000,
        open: 10_000,
        uncounted: 3,
        lastRevision: 10_000,
      });
      const cleared = (number: number) => recordBody(id, 1, number, { cleared_time_ms: 1 });
      const changed = await store.records.append([
        entry(id, 1, 10_004, { change: 'cleared', body: cleared(10_002) }),
        entry(id, 1, 10_005, { change: 'cleared', body: cleared(17) }),
      ]);
      expect(changed).toMatchObject([{ sequence: 17, revision: 10_001 }]);
      expect(await store.records.counts(id)).toEqual({
        total: 10_000,
        open: 9_999,
        uncounted: 3,
        lastRevision: 10_001,
      });
      expect(sequences(await store.records.page(id, { limit: 1, open: false }))).toEqual([17]);
      expect(sequences(await store.records.page(id, { limit: 2, afterSequence: 9_000 }))).toEqual([8_999, 8_998]);
    });

    test('stay deleted when late entries arrive', async () => {
      const store = harness.store();
      const [id, other] = [freshId(), freshId()];
      await store.records.append([raised(id, 1, 1), raised(id, 1, 2), raised(other, 1, 1)]);
      await store.records.delete(id);
      expect(await store.records.counts(id)).toEqual({ total: 0, open: 0, uncounted: 0, lastRevision: 0 });
      expect(await store.records.append([raised(id, 1, 2), raised(id, 1, 3)])).toEqual([]);
      expect((await store.records.page(id, { limit: 5 })).records).toEqual([]);
      expect(await store.records.get(id, `${id}_1_1`)).toBeUndefined();
      expect(await store.records.counts(other)).toMatchObject({ total: 1 });
    });

    test('filter by severity, time and open state, in any combination', async () => {
      const store = harness.store();
      const severity = fc.constantFrom<Severity>('error', 'warning', 'info');
      const rows = fc.array(fc.record({ severity, timestampMs: fc.nat(30), cleared: fc.boolean() }), { maxLength: 25 });
      const query = fc.record(
        {
          severity,
          open: fc.boolean(),
          sinceMs: fc.nat(30),
          untilMs: fc.nat(30),
          cursor: fc.record({
            kind: fc.constantFrom('afterSequence', 'beforeSequence', 'afterRevision'),
            at: fc.nat(30),
          }),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(
          rows,
          fc.array(query, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 6 }),
          async (given, queries, limit) => {
            const id = freshId();
            const bodies = given.map((row, n) =>
              recordBody(id, 1, n + 1, { severity: row.severity, timestampMs: row.timestampMs }),
            );
            let number = 0;
            const step = (change: 'raised' | 'cleared', body: ReturnType<typeof recordBody>) => {
              number += 1;
              return entry(id, 1, number, { change, body });
            };
            await store.records.append(bodies.map((body) => step('raised', body)));
            await store.records.append(
              bodies
                .filter((_, n) => given[n]!.cleared)
                .map((body) => step('cleared', { ...body, cleared_time_ms: 99 })),
            );
            const all = (await store.records.page(id, { limit: 100 })).records;
            expect(all.map((record) => record.id)).toEqual(bodies.map((body) => body.id).reverse());
            for (const { cursor, ...filters } of queries) {
              const asked: RecordQuery = {
                limit,
                ...filters,
                ...(cursor === undefined ? {} : { [cursor.kind]: cursor.at }),
              };
              const page = await store.records.page(id, asked);
              const fits = all.filter(
                (record) =>
                  (asked.severity === undefined || record.severity === asked.severity) &&
                  (asked.open === undefined || (record.cleared_time_ms === null) === asked.open) &&
                  record.timestampMs >= (asked.sinceMs ?? 0) &&
                  record.timestampMs <= (asked.untilMs ?? 99),
              );
              const byRevision = [...fits].sort((left, right) => left.revision - right.revision);
              const expected =
                cursor?.kind === 'afterRevision'
                  ? byRevision.filter((record) => record.revision > cursor.at).slice(0, limit)
                  : cursor?.kind === 'beforeSequence'
                    ? fits.filter((record) => record.sequence > cursor.at).slice(-limit)
                    : fits.filter((record) => cursor === undefined || record.sequence < cursor.at).slice(0, limit);
              expect(page.records).toEqual(expected);
              if (expected.length === 0) continue;
              const order = cursor?.kind === 'afterRevision' ? byRevision : fits;
              expect(page.hasPrevious).toBe(order[0]?.id !== expected[0]?.id);
              expect(page.hasNext).toBe(order.at(-1)?.id !== expected.at(-1)?.id);
            }
          },
        ),
        { numRuns: 80 },
      );
    });
  });
}

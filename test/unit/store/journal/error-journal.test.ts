import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalEntry, type Store, SYSTEM_EDGES, TOPIC } from '../../../../src/ports/index.js';
import type { StoredRecord } from '../../../../src/spec/error-record.js';
import { ErrorJournal, type ErrorJournalOptions } from '../../../../src/store/journal/error-journal.js';
import { openStore } from '../../../../src/store/open.js';
import { startChild } from '../../../support/child-process.js';
import { FlakyRecordStore } from '../../../support/flaky-record-store.js';
import {
  entry,
  handClock,
  memoryLog,
  raised,
  realClock,
  recordBody,
  temporaryFolder,
  until,
} from '../../../support/store-harness.js';

interface Harness {
  readonly dataDir: string;
  readonly store: Store;
  readonly log: ReturnType<typeof memoryLog>;
  readonly clock: ReturnType<typeof handClock>;
  readonly pushed: JournalEntry[];
  readonly stored: StoredRecord[];
  journal(options?: Partial<ErrorJournalOptions>): Promise<ErrorJournal>;
}

const journals: ErrorJournal[] = [];
let folder: ReturnType<typeof temporaryFolder>;
let harness: Harness;

beforeEach(async () => {
  folder = temporaryFolder();
  const [log, clock, pushed, stored] = [memoryLog(), handClock(), [] as JournalEntry[], [] as StoredRecord[]];
  const store = await openStore({ dataDir: folder.path, log, clock });
  store.bus.subscribe(TOPIC.records, (message) => {
    stored.push(...(message as { readonly records: readonly StoredRecord[] }).records);
  });
  harness = {
    dataDir: folder.path,
    store,
    log,
    clock,
    pushed,
    stored,
    journal: async (options = {}) => {
      const journal = await ErrorJournal.open({
        dataDir: folder.path,
        store,
        log,
        clock,
        ...options,
      });
      journals.push(journal);
      return journal;
    },
  };
});

afterEach(async () => {
  await Promise.all(journals.splice(0).map((journal) => journal.close()));
  await harness.store.close();
  folder.remove();
});

const files = () => readdirSync(join(folder.path, 'journal')).filter((file) => file.endsWith('.journal'));
const numbers = (entries: readonly JournalEntry[]) => entries.map((entry) => entry.number);
/** What it resolves with is pushed. */
const record = (journal: ErrorJournal, ...entries: readonly JournalEntry[]) =>
  void journal.append(entries).then((written) => harness.pushed.push(...written));
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, n) => n + from);

test('writes entries to the file, the encoder and the store, each once and in order', async () => {
  const order: string[] = [];
  const journal = await harness.journal();
  harness.store.bus.subscribe(TOPIC.records, (message) => {
    const { records } = message as { readonly records: readonly StoredRecord[] };
    order.push(...records.map((each) => `stored ${each.sequence}`));
  });
  const append = async (entry: JournalEntry) => {
    for (const written of await journal.append([entry])) {
      const text = files()
        .map((file) => readFileSync(join(folder.path, 'journal', file), 'latin1'))
        .join('');
      order.push(text.includes(`"${written.change.body.id}"`) ? `pushed ${written.number}` : 'pushed unwritten');
    }
  };
  for (const number of upTo(5)) void append(raised('7', 1, number));
  expect(order).toEqual([]);
  expect(journal.pending).toBe(5);
  expect(await journal.flush(20_000)).toBe(0);
  await until(() => order.length === 10);
  expect(order).toEqual([...upTo(5).map((n) => `pushed ${n}`), ...upTo(5).map((n) => `stored ${n}`)]);
  expect(await harness.store.records.counts('7')).toMatchObject({ total: 5 });
  expect(journal.pending).toBe(0);
  await journal.close();
  expect(files()).toEqual([]);
});

test('writes entries recorded during a write in the next one', async () => {
  const journal = await harness.journal();
  for (let number = 1; number <= 60; number += 1) {
    record(journal, raised('7', 1, number));
    if (number % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await journal.flush(20_000);
  expect(numbers(harness.pushed)).toEqual(upTo(60));
  await until(() => harness.stored.length >= 60);
  expect(harness.stored.map((record) => record.id)).toEqual(upTo(60).map((n) => `7_1_${n}`));
});

test('pushes entries while the store is unavailable and keeps them in memory up to its limit, then in the file', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore(), memoryEntriesMax: 10, segmentBytes: 9_000 });
  flaky.available = false;
  for (let number = 1; number <= 50; number += 1) {
    record(journal, raised('7', 1, number));
    await until(() => harness.pushed.length === number);
  }
  expect(numbers(harness.pushed)).toEqual(upTo(50));
  expect(journal.pending).toBe(50);
  expect(files().length).toBeGreaterThan(3);
  expect(await journal.flush(1)).toBe(50);
  flaky.available = true;
  expect(await journal.flush(20_000)).toBe(0);
  expect(numbers(flaky.taken)).toEqual(upTo(50));
  for (const number of upTo(5, 51)) record(journal, raised('7', 1, number));
  expect(await journal.flush(20_000)).toBe(0);
  expect(numbers(flaky.taken)).toEqual(upTo(55));
  expect(harness.log.lines.filter((line) => line.message.includes('does not accept error records'))).toHaveLength(1);
});

test('offers retained entries again after a reconnect, before new ones', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore(), segmentBytes: 9_000 });
  for (const number of upTo(20)) {
    record(journal, raised('7', 1, number));
    await journal.flush(20_000);
  }
  flaky.available = false;
  flaky.forget('7', 11);
  record(journal, raised('7', 1, 21));
  flaky.available = true;
  await until(() => flaky.taken.length === 21);
  expect(numbers(flaky.taken)).toEqual(upTo(21));
});

test('detects an unreported loss by its gap and fills it', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore() });
  for (const number of upTo(8)) record(journal, raised('7', 1, number));
  await journal.flush(20_000);
  flaky.forget('7', 3);
  record(journal, raised('7', 1, 9));
  await journal.flush(20_000);
  expect(numbers(flaky.taken)).toEqual(upTo(9));
});

test('logs a gap that the journal cannot fill, and stores later entries', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore() });
  for (const number of [5, 6]) record(journal, raised('7', 1, number));
  await journal.flush(20_000);
  expect(numbers(flaky.taken)).toEqual([5, 6]);
  expect(harness.log.lines.filter((line) => line.message.includes('no longer has'))).toHaveLength(1);
});

test('drops an entry that the store rejects permanently and stores the others', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  flaky.poison = '7_1_2';
  const journal = await harness.journal({ store: flaky.asStore() });
  for (const number of upTo(4)) record(journal, raised('7', 1, number));
  expect(await journal.flush(20_000)).toBe(0);
  expect(numbers(flaky.taken)).toEqual([1, 3, 4]);
  expect(journal.dropped).toBe(1);
});

test('logs and drops an invalid entry instead of throwing on the packet path', async () => {
  const journal = await harness.journal();
  record(journal, raised('', 1, 1));
  record(journal, raised('7', 1, 1, { timestampMs: Number.NaN }));
  expect(journal.pending).toBe(0);
  expect(journal.dropped).toBe(2);
});

test('pushes entries after the store has them when the file cannot be written, with one log line', async () => {
  const journal = await harness.journal({ journalBytesMax: 6_000 });
  for (const number of upTo(20)) {
    record(journal, raised('7', 1, number));
    await journal.flush(20_000);
    expect((await harness.store.records.counts('7')).total).toBe(number);
  }
  await until(() => harness.pushed.length === 20);
  expect(numbers(harness.pushed)).toEqual(upTo(20));
  expect(harness.log.lines.filter((line) => line.message.includes('cannot be written'))).toHaveLength(1);
});

test('bounds memory with neither file nor store and counts the entries beyond it as lost', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore(), journalBytesMax: 1, memoryEntriesMax: 4 });
  flaky.available = false;
  for (const number of upTo(7)) record(journal, raised('7', 1, number));
  await until(() => journal.dropped === 3);
  expect(harness.pushed).toEqual([]);
  flaky.available = true;
  expect(await journal.flush(20_000)).toBe(0);
  expect(numbers(harness.pushed)).toEqual(upTo(4));
});

test('keeps entries in memory in order with those on the disk', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const [journalFolder, away] = [join(folder.path, 'journal'), join(folder.path, 'away')];
  // Every write creates a new file, which fails while the folder is missing.
  const journal = await harness.journal({ store: flaky.asStore(), memoryEntriesMax: 4, segmentBytes: 1 });
  const said = (text: string) => harness.log.lines.filter((line) => line.message.includes(text)).length;
  flaky.available = false;
  for (const round of [0, 1]) {
    for (const number of upTo(6, round * 8 + 1)) record(journal, raised('7', 1, number));
    await until(() => harness.pushed.some((entry) => entry.number === round * 8 + 6));
    renameSync(journalFolder, away);
    for (const number of upTo(2, round * 8 + 7)) record(journal, raised('7', 1, number));
    await until(() => said('cannot be written') === round + 1);
    renameSync(away, journalFolder);
  }
  record(journal, raised('7', 1, 17));
  await until(() => harness.pushed.some((entry) => entry.number === 17));
  expect(numbers(harness.pushed)).toEqual([...upTo(6), ...upTo(6, 9), 17]);
  flaky.available = true;
  expect(await journal.flush(20_000)).toBe(0);
  expect(numbers(flaky.taken)).toEqual(upTo(17));
  expect([...numbers(harness.pushed)].sort((left, right) => left - right)).toEqual(upTo(17));
});

test('drains the entries that a closed journal left', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  flaky.available = false;
  const first = await harness.journal({ store: flaky.asStore() });
  for (const number of upTo(6)) record(first, raised('7', 1, number));
  await until(() => harness.pushed.length === 6);
  await first.close();
  expect(files()).toHaveLength(1);
  const file = join(folder.path, 'journal', files()[0]!);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0, 0, 9, 9, 1, 2])]));

  await harness.journal();
  await until(() => harness.stored.length === 6);
  expect(harness.stored.map((record) => record.sequence)).toEqual(upTo(6));
  await until(() => harness.log.lines.some((line) => line.message.includes('ends inside a frame')));
  expect(harness.pushed).toHaveLength(6);
});

test('lists the broadcasts of entries that the store gets late, since they may be over', async () => {
  const listed = async () =>
    (await harness.store.objects.page(SYSTEM_EDGES.closing, { limit: 10 })).entries.map(({ member }) => member).sort();
  const flaky = new FlakyRecordStore(harness.store);
  const first = await harness.journal({ store: flaky.asStore() });
  record(first, raised('7', 1, 1));
  await first.flush(20_000);
  expect(await listed()).toEqual([]);
  flaky.available = false;
  record(first, raised('8', 1, 1));
  await until(() => harness.log.lines.some((line) => line.message.includes('does not accept error records')));
  flaky.available = true;
  await first.flush(20_000);
  expect(await listed()).toContain('8');
  flaky.available = false;
  record(first, raised('9', 1, 1));
  await until(() => harness.pushed.length === 3);
  await first.close();
  await harness.journal();
  await until(() => harness.stored.some(({ id }) => id.startsWith('9')));
  expect(await listed()).toContain('9');
});

test('ignores files that are not journals', async () => {
  const journalFolder = join(folder.path, 'journal');
  mkdirSync(journalFolder);
  writeFileSync(join(journalFolder, 'notes.txt'), 'mine');
  const journal = await harness.journal();
  record(journal, raised('7', 1, 1));
  expect(await journal.flush(20_000)).toBe(0);
  expect(readFileSync(join(journalFolder, 'notes.txt'), 'utf8')).toBe('mine');
});

test('loses no pushed record when the process is killed', async () => {
  await harness.store.close();
  const dataDir = join(folder.path, 'killed');
  mkdirSync(dataDir);
  for (const fence of [1, 2]) {
    const child = startChild('journal-child.ts', dataDir, '7', String(fence));
    await child.line((line) => line.startsWith('pushed ') && Number(line.slice(7)) >= 300);
    await child.kill('SIGKILL');
    const pushed = child.lines.filter((line) => /^pushed \d+$/.test(line)).map((line) => Number(line.slice(7)));
    expect(pushed).toEqual(upTo(pushed.length));

    const store = await openStore({ dataDir, log: harness.log, clock: realClock });
    const journal = await ErrorJournal.open({
      dataDir,
      store,
      log: harness.log,
      clock: realClock,
    });
    const ids = async () => {
      const all: string[] = [];
      for (let after = Number.MAX_SAFE_INTEGER - 1; ; ) {
        const { records, hasNext } = await store.records.page('7', { limit: 1_000, afterSequence: after });
        all.push(...records.map((record) => record.id));
        after = records.at(-1)?.sequence ?? 0;
        if (!hasNext) return all.reverse().filter((id) => id.startsWith(`7_${fence}_`));
      }
    };
    await until(async () => (await ids()).length >= pushed.length);
    const stored = await ids();
    expect(stored).toEqual(upTo(stored.length).map((n) => `7_${fence}_${n}`));
    await journal.close();
    await store.close();
  }
  harness = { ...harness, store: await openStore({ dataDir: folder.path, log: harness.log, clock: harness.clock }) };
});

test.each([['read-only folder', 0o500]])('recovers from a %s', async (_name, mode) => {
  const journalFolder = join(folder.path, 'journal');
  const journal = await harness.journal();
  if (process.getuid?.() === 0) rmSync(journalFolder, { recursive: true });
  else chmodSync(journalFolder, mode);
  record(journal, raised('7', 1, 1));
  expect(await journal.flush(20_000)).toBe(0);
  await until(() => harness.pushed.length === 1);
  mkdirSync(journalFolder, { recursive: true });
  chmodSync(journalFolder, 0o700);
  record(journal, raised('7', 1, 2));
  expect(await journal.flush(20_000)).toBe(0);
  expect(files()).toHaveLength(1);
  expect(harness.log.lines.some((line) => line.message === 'the error journal can be written again')).toBe(true);
});

test('counts the records that are raised and cleared, not what changes in between', async () => {
  const journal = await harness.journal();
  const body = recordBody('1', 1, 1);
  await journal.append([
    raised('1', 1, 1),
    entry('1', 1, 2, { change: 'counted', body }),
    entry('1', 1, 3, { change: 'cleared', body }),
    raised('2', 1, 1),
  ]);
  expect(journal.violations).toEqual({ raised: { 6208: 2 }, cleared: { 6208: 1 } });
});

test('answers once for the entries of a call that the disk and then the memory refuse, without those that are lost', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore(), journalBytesMax: 1, memoryEntriesMax: 2 });
  flaky.available = false;
  const together = journal.append(upTo(3).map((number) => raised('7', 1, number)));
  await until(() => journal.dropped === 1);
  flaky.available = true;
  expect(numbers(await together)).toEqual([1, 2]);
});

test('a journal that closes answers for what the disk refused and the store lacks', async () => {
  const flaky = new FlakyRecordStore(harness.store);
  const journal = await harness.journal({ store: flaky.asStore(), journalBytesMax: 1 });
  flaky.available = false;
  const refused = journal.append([raised('7', 1, 1)]);
  await journal.close();
  expect(await refused).toEqual([]);
});

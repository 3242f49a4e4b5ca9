import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorJournal } from '../../../../src/store/journal/error-journal.js';
import { MAGIC } from '../../../../src/store/journal/frames.js';
import { PendingMark, PendingMarks } from '../../../../src/store/journal/pending-mark.js';
import { openStore } from '../../../../src/store/open.js';
import { handClock, memoryLog, raised, temporaryFolder, until } from '../../../support/store-harness.js';

let folder: ReturnType<typeof temporaryFolder>;
let marks: PendingMarks;

beforeEach(() => {
  folder = temporaryFolder();
  marks = new PendingMarks(folder.path);
});

afterEach(() => {
  marks.close();
  folder.remove();
});

const names = () => readdirSync(join(folder.path, 'journal')).filter((name) => name.endsWith('.pending'));

test('shows other processes whether entries are pending', async () => {
  const [one, two] = [await PendingMark.open(folder.path, 'a-1'), await PendingMark.open(folder.path, 'b-2')];
  const seen = () => [marks.isAnyPending(['a-1']), marks.isAnyPending(['a-1', 'b-2'])];
  expect(seen()).toEqual([false, false]);
  await two.set();
  expect(seen()).toEqual([false, true]);
  await one.set();
  two.clear();
  await two.set();
  two.clear();
  expect(seen()).toEqual([true, true]);
  one.clear();
  for (const mark of [one, two]) await mark.set();
  expect(seen()).toEqual([true, true]);
  for (const mark of [one, two]) await mark.close();
  expect(names()).toEqual([]);
});

test('a process without a readable mark counts as pending', async () => {
  expect(marks.isAnyPending(['a'])).toBe(true);
  const mark = await PendingMark.open(folder.path, 'a');
  expect(marks.isAnyPending(['a'])).toBe(false);
  await mark.close();
  expect(marks.isAnyPending(['a'])).toBe(true);
  expect(marks.isAnyPending([])).toBe(false);
});

test('a new process removes the marks of dead processes only', async () => {
  const mark = await PendingMark.open(folder.path, 'live');
  const [own = ''] = names();
  const [space] = own.split('.');
  mkdirSync(join(folder.path, 'journal'), { recursive: true });
  writeFileSync(join(folder.path, 'journal', `${space}.${process.pid}.1.dead.pending`), '1');
  const next = await PendingMark.open(folder.path, 'next');
  expect(names().map((name) => name.split('.')[3])).toEqual(expect.arrayContaining(['live', 'next']));
  expect(names()).toHaveLength(2);
  for (const each of [mark, next]) await each.close();
});

test('a journal sets its mark before an entry may be pushed, and clears it once the store has all', async () => {
  const [log, clock] = [memoryLog(), handClock()];
  const store = await openStore({ dataDir: folder.path, log, clock });
  const seen: string[] = [];
  const note = (what: string) => seen.push(`${what}: ${marks.isAnyPending(['a'])}`);
  const journal = await ErrorJournal.open({
    dataDir: folder.path,
    store,
    log,
    clock,
    mark: await PendingMark.open(folder.path, 'a'),
  });
  note('opened');
  for (const number of [1, 2]) {
    void journal.append([raised('7', 1, number)]).then(() => note('pushed'));
    await journal.flush(20_000);
  }
  await until(() => !marks.isAnyPending(['a']));
  expect(seen).toEqual(['opened: false', 'pushed: true', 'pushed: true']);
  await journal.close();
  await store.close();
});

test('pushes nothing that the store lacks while the mark cannot be set', async () => {
  const [log, clock] = [memoryLog(), handClock()];
  const store = await openStore({ dataDir: folder.path, log, clock });
  const mark = await PendingMark.open(folder.path, 'a');
  const journal = await ErrorJournal.open({
    dataDir: folder.path,
    store,
    log,
    clock,
    mark,
  });
  mark.set = () => Promise.reject(new Error('ENOSPC'));
  expect(await journal.append([raised('7', 1, 1)])).toHaveLength(1);
  expect(await store.records.counts('7')).toMatchObject({ total: 1 });
  // Their write began beside that of the mark: what it left behind would be offered to the store once more.
  const files = readdirSync(join(folder.path, 'journal')).filter((name) => !name.endsWith('.pending'));
  const [segment = ''] = files;
  expect(files).toHaveLength(1);
  expect(readFileSync(join(folder.path, 'journal', segment))).toEqual(MAGIC);
  await journal.close();
  await store.close();
});

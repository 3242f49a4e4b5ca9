import { ConflictError, retryConflicts, type Store, updateObject } from '../../../src/ports/index.js';
import { openStore } from '../../../src/store/open.js';
import { handClock, memoryLog, temporaryFolder } from '../../support/store-harness.js';

interface Tally {
  readonly count: number;
}

const clock = handClock();
let folder: ReturnType<typeof temporaryFolder>;
let store: Store;

beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStore({ dataDir: folder.path, log: memoryLog(), clock });
  const object = { id: '1', kind: 'setting', createdMs: 1, updatedMs: 1, data: { count: 0 } } as const;
  await store.objects.commit([{ op: 'put', object }]);
});

afterEach(async () => {
  await store.close();
  folder.remove();
});

const increment = () =>
  updateObject<Tally>(store.objects, clock, '1', ({ data }) => ({ data: { count: data.count + 1 } }));

test('loses none of several updates at the same time', async () => {
  await Promise.all([increment(), increment(), increment(), increment()]);
  expect(await store.objects.get('1')).toMatchObject({ data: { count: 4 }, version: 5 });
});

test('answers with the object as it now stands, and writes the rest in the same transaction', async () => {
  const updated = await updateObject<Tally>(store.objects, clock, '1', ({ data }, nowMs) => ({
    data: { count: data.count + nowMs },
    also: [{ op: 'edgeAdd', owner: 'system', edge: 'tallies', member: '1', score: nowMs }],
  }));
  expect(updated).toEqual(await store.objects.get('1'));
  expect(updated?.data.count).toBe(clock.wallMs());
  expect(await store.objects.edgeSize({ owner: 'system', edge: 'tallies' })).toBe(1);
});

test('leaves the object alone when there is no change, and answers undefined when there is no object', async () => {
  expect(await updateObject(store.objects, clock, '1', () => undefined)).toMatchObject({ version: 1 });
  expect(await updateObject(store.objects, clock, '2', () => ({ data: {} }))).toBeUndefined();
  expect(await store.objects.get('1')).toMatchObject({ version: 1, updatedMs: 1 });
});

test('gives up after eight conflicts, and at once for any other error', async () => {
  let attempts = 0;
  const failing = (error: Error) => () => {
    attempts += 1;
    return Promise.reject(error);
  };
  await expect(retryConflicts(failing(new ConflictError('1')))).rejects.toThrow(ConflictError);
  expect(attempts).toBe(8);
  await expect(retryConflicts(failing(new TypeError('no')))).rejects.toThrow(TypeError);
  expect(attempts).toBe(9);
});

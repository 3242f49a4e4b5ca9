import { type AskUnsaved, DistributedHistory } from '../../src/dashboard/history/distributed-history.js';
import { HealthHistory } from '../../src/dashboard/history/history.js';
import { HISTORY_LIMITS } from '../../src/dashboard/view/limits.js';
import type { Store } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { handClock, memoryLog, realClock, temporaryFolder } from '../support/store-harness.js';
import { HEALTH } from './feed-harness.js';

let store: Store;
let remove: () => void;
beforeEach(async () => {
  const folder = temporaryFolder();
  remove = folder.remove;
  store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
});
afterEach(async () => {
  await store.close();
  remove();
});

const running = [{ liveVideoId: '5', health: HEALTH }];
const ingest = (clock: ReturnType<typeof handClock>) => new HealthHistory({ store, clock, log: memoryLog() });
/** The answers as they arrive over the channel of another process. */
const asks =
  (...processes: HealthHistory[]): AskUnsaved =>
  async (id) =>
    JSON.parse(JSON.stringify(await Promise.all(processes.map((process) => process.unsaved(id)))));

test('another process reads each sample once, saved or not', async () => {
  const clock = handClock();
  const [receiving, idle] = [ingest(clock), ingest(clock)];
  const read = new DistributedHistory(store, asks(receiving, idle));
  for (let count = 1; count <= 100; count++) {
    receiving.tick(running);
    expect((await read.read('5')).points).toHaveLength(count);
    clock.advance(HISTORY_LIMITS.sampleMs);
  }
  expect(await read.read('5')).toEqual(await receiving.read('5'));
  expect((await read.read('6')).points).toEqual([]);
});

test('a save between query and read neither loses nor repeats a sample', async () => {
  const clock = handClock();
  const receiving = ingest(clock);
  for (let count = 0; count < 5; count++) {
    receiving.tick(running);
    clock.advance(HISTORY_LIMITS.sampleMs);
  }
  const ask = asks(receiving);
  let asked = 0;
  const read = new DistributedHistory(store, async (id) => {
    const answers = await ask(id);
    asked++;
    // The encoder leaves: its samples are saved after the first answer.
    if (asked === 1) {
      receiving.tick([]);
      await receiving.unsaved(id);
    }
    return answers;
  });
  expect((await read.read('5')).points).toHaveLength(5);
});

test('samples of two processes are in order of time', async () => {
  const clock = handClock();
  const [first, second] = [ingest(clock), ingest(clock)];
  first.tick(running);
  clock.advance(HISTORY_LIMITS.sampleMs);
  second.tick(running);
  const { points } = await new DistributedHistory(store, asks(second, first)).read('5');
  expect(points).toHaveLength(2);
  expect((points[1]?.[0] ?? 0) - (points[0]?.[0] ?? 0)).toBe(HISTORY_LIMITS.sampleMs);
});

test('returns the saved points if no process responds', async () => {
  const clock = handClock();
  const receiving = ingest(clock);
  receiving.tick(running);
  await receiving.close();
  receiving.tick(running);
  expect((await new DistributedHistory(store, async () => []).read('5')).points).toHaveLength(1);
});

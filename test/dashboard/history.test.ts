import { jest } from '@jest/globals';
import { type AskUnsaved, DistributedHistory } from '../../src/dashboard/history/distributed-history.js';
import { HealthHistory } from '../../src/dashboard/history/history.js';
import { SeriesStore } from '../../src/dashboard/history/series-store.js';
import { ServerHistory } from '../../src/dashboard/history/server-history.js';
import {
  EMPTY_SERIES,
  type Sample,
  SERIES_COLUMNS,
  type Series,
  withSamples,
} from '../../src/dashboard/view/health-series.js';
import { HISTORY_LIMITS } from '../../src/dashboard/view/limits.js';
import { SERVER_HISTORY, withServerPoint } from '../../src/dashboard/view/server-series.js';
import type { ServerState } from '../../src/dashboard/view/server-state.js';
import { type Store, TOPIC } from '../../src/ports/index.js';
import { openStore } from '../../src/store/open.js';
import { handClock, memoryLog, realClock, temporaryFolder, until } from '../support/store-harness.js';
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

const sample = (atMs: number, over: Partial<Sample> = {}): Sample => ({
  atMs,
  videoKbps: 2_500,
  audioKbps: 128,
  frameRate: 30,
  keyFrameIntervalMs: 2_000,
  width: 1280,
  height: 720,
  frameRateClass: 30,
  ...over,
});

const column = (series: Series, name: (typeof SERIES_COLUMNS)[number]): (number | null)[] =>
  series.points.map((point) => point[SERIES_COLUMNS.indexOf(name)] ?? null);

function run(samples: number, of: (index: number) => Partial<Sample> = () => ({}), limit = 8): Series {
  let series = EMPTY_SERIES;
  for (let index = 0; index < samples; index++) series = withSamples(series, [sample(index * 2_000, of(index))], limit);
  return series;
}

describe('a series', () => {
  test('keeps each sample until it is full, then halves its points and doubles its step', () => {
    expect(run(8).step).toBe(1);
    expect(column(run(8), 'at')).toEqual([0, 2, 4, 6, 8, 10, 12, 14].map((second) => second * 1_000));
    expect(run(9).step).toBe(2);
    expect(column(run(9), 'at')).toEqual([0, 4_000, 8_000, 12_000, 16_000]);
  });

  test('never exceeds its limit, even after eight hours', () => {
    for (const count of [1, 7, 8, 9, 16, 17, 33, 1_000]) expect(run(count).points.length).toBeLessThanOrEqual(8);
    const day = run(14_400, undefined, HISTORY_LIMITS.points);
    expect(day.points.length).toBeLessThanOrEqual(HISTORY_LIMITS.points);
    expect(day.points.length).toBeGreaterThan(HISTORY_LIMITS.points / 2);
    expect(JSON.stringify(day.points).length).toBeLessThan(128 * 1024);
  });

  test('a merged point keeps the mean and the extremes', () => {
    const series = run(9, (index) => ({
      videoKbps: index === 3 ? 9_000 : 1_000,
      keyFrameIntervalMs: index === 2 ? 8_000 : 2_000,
      frameRate: index === 3 ? 12 : 30,
    }));
    expect(column(series, 'video_kbps')[1]).toBe(5_000);
    expect(column(series, 'video_kbps_min')[1]).toBe(1_000);
    expect(column(series, 'video_kbps_max')[1]).toBe(9_000);
    expect(column(series, 'key_frame_interval_ms')[1]).toBe(8_000);
    expect(column(series, 'frame_rate')[1]).toBe(12);
  });

  test('the weighted mean of merged points is the mean of their samples', () => {
    const series = run(64, (index) => ({ videoKbps: index }));
    const weights = series.points.map((_, index) => (index === series.points.length - 1 ? series.filled : series.step));
    const sum = column(series, 'video_kbps').reduce<number>(
      (total, mean, index) => total + (mean ?? 0) * (weights[index] ?? 0),
      0,
    );
    expect(sum / 64).toBeCloseTo(31.5, 0);
  });

  test('unknown values stay null, and a gap starts a new point', () => {
    let series = run(9, () => ({ videoKbps: undefined, width: Number.NaN }));
    expect(new Set([...column(series, 'video_kbps'), ...column(series, 'width')])).toEqual(new Set([null]));
    series = withSamples(series, [sample(100_000), sample(300_000)], 8);
    expect(column(series, 'at').slice(-2)).toEqual([100_000, 300_000]);
  });
});

describe('the history', () => {
  const running = [{ liveVideoId: '5', health: HEALTH }];

  test('is saved every minute and at the end, and continued by another process', async () => {
    const clock = handClock();
    const log = memoryLog();
    const first = new HealthHistory({ store, clock, log });
    for (let index = 0; index <= 30; index++) {
      first.tick(running);
      await first.read('5');
      clock.advance(2_000);
    }
    await until(async () => (await store.objects.get('series-5')) !== undefined);
    first.tick(running);
    await first.close();

    clock.advance(60_000);
    const second = new HealthHistory({ store, clock, log });
    second.tick(running);
    await second.read('5');
    clock.advance(2_000);
    second.tick([]);
    await second.close();
    const series = await new HealthHistory({ store, clock, log }).read('5');
    expect(column(series, 'at')).toHaveLength(33);
    expect(column(series, 'video_kbps')[32]).toBe(2_512);
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  test('holds only unsaved samples in memory', async () => {
    const clock = handClock();
    const history = new HealthHistory({ store, clock, log: memoryLog() });
    for (let index = 0; index < 100; index++) {
      history.tick(running);
      await history.read('5');
      clock.advance(HISTORY_LIMITS.sampleMs);
    }
    expect((await history.read('5')).points).toHaveLength(100);
    await store.objects.commit([{ op: 'delete', id: 'series-5' }]);
    expect((await history.read('5')).points.length).toBeLessThan(HISTORY_LIMITS.saveMs / HISTORY_LIMITS.sampleMs);
  });

  test('is the same after many saves as after one, across two halvings and a gap', async () => {
    const saved = new SeriesStore(store);
    const samples = Array.from({ length: 4_000 }, (_, index) =>
      sample((index < 900 ? index : index + 500) * HISTORY_LIMITS.sampleMs, { videoKbps: 1_000 + (index % 700) }),
    );
    for (let from = 0; from < samples.length; from += 31) await saved.append('5', samples.slice(from, from + 31), from);
    const whole = withSamples(EMPTY_SERIES, samples);
    expect(whole.step).toBe(4);
    expect(await saved.read('5')).toEqual(whole);
    const parts = { owner: 'series-5', edge: 'parts' };
    expect(await store.objects.edgeSize(parts)).toBe(Math.ceil(whole.points.length / HISTORY_LIMITS.partPoints));
    await saved.delete('5');
    expect(await store.objects.edgeSize(parts)).toBe(0);
    expect(await saved.read('5')).toEqual(EMPTY_SERIES);
  });

  test('rewrites only its last part until it is full', async () => {
    const saved = new SeriesStore(store);
    const written: number[] = [];
    const commit = store.objects.commit.bind(store.objects);
    jest.spyOn(store.objects, 'commit').mockImplementation((writes) => {
      written.push(JSON.stringify(writes).length);
      return commit(writes);
    });
    for (let from = 0; from + 30 <= HISTORY_LIMITS.points; from += 30) {
      const batch = Array.from({ length: 30 }, (_, n) => sample((from + n) * HISTORY_LIMITS.sampleMs));
      await saved.append('5', batch, from);
    }
    expect((await saved.read('5')).points).toHaveLength(HISTORY_LIMITS.points);
    expect(Math.max(...written)).toBeLessThan(8_192);
  });

  test('saves a few streams per tick, and each within a minute and a half', async () => {
    const clock = handClock();
    const history = new HealthHistory({ store, clock, log: memoryLog() });
    const many = Array.from({ length: 60 }, (_, n) => ({ liveVideoId: String(100 + n), health: HEALTH }));
    const saves = jest.spyOn(store.objects, 'commit');
    const perTick: number[] = [];
    for (let index = 0; index <= 45; index++) {
      const before = saves.mock.calls.length;
      history.tick(many);
      await Promise.all(many.map(({ liveVideoId }) => history.read(liveVideoId)));
      perTick.push(saves.mock.calls.length - before);
      clock.advance(HISTORY_LIMITS.sampleMs);
    }
    expect(Math.max(...perTick)).toBe(4);
    const stored = await store.objects.getMany(many.map(({ liveVideoId }) => `series-${liveVideoId}`));
    expect(stored).not.toContain(undefined);
    await history.close();
  });

  test('is empty at first, is not sampled while the encoder is disconnected, and can be removed', async () => {
    const history = new HealthHistory({ store, clock: handClock(), log: memoryLog() });
    expect((await history.read('6')).points).toEqual([]);
    history.tick([{ liveVideoId: '6', health: { ...HEALTH, connected: false } }]);
    expect((await history.read('6')).points).toEqual([]);
    history.tick([{ liveVideoId: '6', health: HEALTH }]);
    await history.close();
    expect((await history.read('6')).points).toHaveLength(1);
    await history.remove('6');
    expect((await history.read('6')).points).toEqual([]);
  });

  test('is deleted with its broadcast', async () => {
    const history = new HealthHistory({ store, clock: handClock(), log: memoryLog() });
    history.tick(running);
    await history.close();
    history.start(() => []);
    store.bus.publish(TOPIC.state, { liveVideoId: '5', ownerId: '7', status: 'VOD', stream: 'ended', atMs: 1 });
    await until(async () => (await store.objects.get('series-5')) === undefined);
    await history.close();
  });

  test('is deleted ninety days after its last point', async () => {
    const clock = handClock();
    const history = new HealthHistory({ store, clock, log: memoryLog() });
    history.tick(running);
    await history.close();
    clock.advance(HISTORY_LIMITS.keptMs - 1_000);
    history.tick([]);
    await history.close();
    expect(await store.objects.get('series-5')).toBeDefined();
    clock.advance(HISTORY_LIMITS.sweepMs);
    history.tick([]);
    await history.close();
    expect(await store.objects.get('series-5')).toBeUndefined();
  });
});

describe('the history of a server', () => {
  const MINUTE_MS = SERVER_HISTORY.everyMs;
  const stateOf = (seconds: number, more: Partial<ServerState> = {}): ServerState => ({
    roles: [
      { role: 'web', is_idle: false, resident_bytes: 80e6, cpu_seconds: seconds, loop_delay_ms: 2, restarts: 0 },
      { role: 'ingest', is_idle: false, resident_bytes: 60e6, cpu_seconds: seconds, loop_delay_ms: 7.25, restarts: 0 },
    ],
    connections: 3,
    publishers: 3,
    received_bytes: 1e6 * seconds,
    viewers: 0,
    feed_readers: 0,
    journal_pending: 0,
    recordings_paused: 0,
    ...more,
  });

  function historyOf(serverId: string, clock: ReturnType<typeof handClock>, state: () => Promise<ServerState>) {
    return new ServerHistory({ store, clock, log: memoryLog(), serverId, state });
  }

  test('has one point a minute, with rates since the point before', async () => {
    const clock = handClock();
    let seconds = 0;
    const history = historyOf('a', clock, async () => stateOf(seconds));
    await history.tick();
    expect(await history.read()).toEqual([]);
    clock.advance(MINUTE_MS);
    seconds = 6;
    await history.tick();
    const atMs = clock.wallMs();
    // Twelve seconds of two processes in a minute, and 6 MB.
    expect(await history.read()).toEqual([[atMs, 20, 140e6, 3, 800, 7.3]]);
    clock.advance(MINUTE_MS);
    // A process that was restarted has begun at 0.
    seconds = 1;
    await history.tick();
    expect((await history.read())[1]).toEqual([atMs + MINUTE_MS, null, 140e6, 3, null, 7.3]);
  });

  test('goes on after a restart and holds a day at most', async () => {
    const clock = handClock();
    const full = Array.from({ length: SERVER_HISTORY.points }, (_, at) => [(at + 1) * MINUTE_MS, 1, 1, 1, 1, 1]);
    expect(withServerPoint(full, [(SERVER_HISTORY.points + 1) * MINUTE_MS, 2, 2, 2, 2, 2])).toHaveLength(
      SERVER_HISTORY.points,
    );
    for (const start of [1, 2]) {
      const history = historyOf('a', clock, async () => stateOf(start));
      await history.tick();
      clock.advance(MINUTE_MS);
      await history.tick();
      await history.close();
      expect(await history.read()).toHaveLength(start);
    }
    clock.advance(SERVER_HISTORY.points * MINUTE_MS);
    const later = historyOf('a', clock, async () => stateOf(1));
    await later.tick();
    clock.advance(MINUTE_MS);
    await later.tick();
    expect(await later.read()).toHaveLength(1);
  });

  test('is apart from those of other servers, and of one that is gone for a day it is deleted', async () => {
    const clock = handClock();
    const [a, b] = ['a', 'b'].map((id) => historyOf(id, clock, async () => stateOf(1)));
    for (const each of [a, b]) await each?.tick();
    clock.advance(MINUTE_MS);
    for (const each of [a, b]) await each?.tick();
    clock.advance(SERVER_HISTORY.points * MINUTE_MS + 1);
    await a?.tick();
    expect([(await a?.read())?.length, (await b?.read())?.length]).toEqual([1, 0]);
  });

  test('waits for the next minute when the state or the store cannot be read', async () => {
    const log = memoryLog();
    const state = async (): Promise<ServerState> => {
      throw new Error('no answer');
    };
    const history = new ServerHistory({ store, clock: handClock(), log, serverId: 'a', state });
    await history.tick();
    await history.tick();
    expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill('the state of the server could not be kept'));
  });
});

describe('the history that another process reads', () => {
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
});

/** How running broadcasts share the time for sound. */
import { SOUND_SAMPLE, sampleMs, TURNS } from '../../../src/detection/limits.js';
import { type Turn, Turns } from '../../../src/detection/turns.js';

const SHARE = 0.25;

/**
 * Streams that send as they are told, for half an hour. A sample costs what is expected, times `cost`. As many streams as
 * `kept` have a decoder that is started once.
 */
function simulated(streams: number, cost = 1, kept = 0) {
  const turns = new Turns(SHARE);
  const queue = Array.from({ length: streams }, (_, at) => ({ session: `s${at}`, atMs: sampleMs(1) + at, windows: 1 }));
  const taken = new Map<string, number[]>();
  let [spentMs, nowMs] = [0, 0];
  let last: Turn = { windows: 1, pauseMs: 0 };
  while (nowMs < 1_800_000) {
    const next = queue.shift();
    if (next === undefined) break;
    nowMs = next.atMs;
    // An expectation for each of 100,000 samples takes longer than the samples.
    if (!turns.admits(next.session, nowMs)) throw new Error(`${next.session} was refused at ${nowMs}`);
    last = turns.next(next.session, nowMs);
    const isStarted = !taken.has(next.session) || Number(next.session.slice(1)) >= kept;
    const ms = cost * ((isStarted ? TURNS.startMs : 0) + TURNS.sampleMs + next.windows * TURNS.windowMs);
    turns.spent(next.windows, ms, isStarted);
    // The first minutes are those of the correction.
    if (nowMs > 600_000) spentMs += ms;
    taken.set(next.session, [...(taken.get(next.session) ?? []), nowMs]);
    const lengthMs = last.pauseMs > 0 ? last.pauseMs + sampleMs(last.windows) : last.windows * SOUND_SAMPLE.stepMs;
    const atMs = nowMs + lengthMs;
    const before = queue.findIndex((each) => each.atMs > atMs);
    queue.splice(before < 0 ? queue.length : before, 0, { session: next.session, atMs, windows: last.windows });
  }
  return { turns, last, used: spentMs / 1_200_000, taken, nowMs };
}

test('few broadcasts send samples of one window, more of them longer ones, without a gap', () => {
  expect(simulated(3).last).toEqual({ windows: 1, pauseMs: 0 });
  expect(simulated(10).last).toEqual({ windows: 1, pauseMs: 0 });
  const { last, turns, nowMs } = simulated(30);
  expect(last.windows).toBeGreaterThan(1);
  expect(last.pauseMs).toBe(0);
  expect(turns.counts(nowMs)).toEqual({ continuous: 30, turns: 0 });
});

test.each([10, 30, 60, 400])('%i broadcasts keep within the share', (streams) => {
  expect(simulated(streams).used).toBeLessThanOrEqual(SHARE);
  expect(simulated(streams, 1, 32).used).toBeLessThanOrEqual(SHARE);
});

test('with decoders that are kept, 80 broadcasts send all their sound in samples of one window', () => {
  expect(simulated(80, 1, 80).last).toEqual({ windows: 1, pauseMs: 0 });
  expect(simulated(80).last.pauseMs).toBeGreaterThan(0);
});

test('a machine on which a sample costs more has turns earlier, and still keeps within the share', () => {
  const { used, last, turns, nowMs } = simulated(12, 4);
  expect(last.pauseMs).toBeGreaterThan(0);
  expect(turns.counts(nowMs)).toEqual({ continuous: 0, turns: 12 });
  expect(used).toBeLessThanOrEqual(SHARE);
  expect(used).toBeGreaterThan(SHARE / 2);
});

test('200 broadcasts take turns of the same number, each long enough for a match', () => {
  const { last, taken } = simulated(200);
  expect(last.windows).toBe(TURNS.windowsMax);
  const counts = [...taken.values()].map((times) => times.length);
  expect(counts).toHaveLength(200);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  const gaps = [...taken.values()].flatMap((times) => times.slice(2).map((ms, at) => ms - (times[at + 1] ?? 0)));
  expect(Math.max(...gaps)).toBeLessThan(130_000);
});

test('a broadcast that ended makes room for the others', () => {
  const turns = new Turns(SHARE);
  for (let at = 0; at < 100; at++) turns.next(`s${at}`, at);
  expect(turns.next('s0', 200).pauseMs).toBeGreaterThan(0);
  expect(turns.next('s0', 3_600_000)).toEqual({ windows: 1, pauseMs: 0 });
  expect(turns.counts(3_600_000)).toEqual({ continuous: 1, turns: 0 });
});

test('sound that comes faster than in real time, or before its turn, is refused', () => {
  const turns = new Turns(SHARE);
  const accepted = Array.from({ length: 100 }, () => {
    const admitted = turns.admits('fast', 0);
    if (admitted) turns.next('fast', 0);
    return admitted;
  }).filter(Boolean).length;
  expect(accepted).toBe(TURNS.burst + 1);
  turns.fail('damaged', 0);
  expect(turns.admits('damaged', 1_000)).toBe(false);
  expect(turns.admits('damaged', TURNS.failedPauseMs + sampleMs(1))).toBe(true);
});

import { PICTURE_TURNS } from '../../../src/broadcasts/limits.js';
import { PictureTurns } from '../../../src/broadcasts/picture-turns.js';

const TICK_MS = 200;
const FOR_MS = 200_000;
/** Some minutes of `count` broadcasts that each want a sample at all times, and take it `lateMs` after their turn came. */
function run(count: number, lateMs: (at: number) => number = () => 0) {
  let nowMs = 0;
  const turns = new PictureTurns(() => nowMs);
  const streams = Array.from({ length: count }, (_, at) => ({ at, sinceMs: Number.NaN, taken: 0 }));
  for (; nowMs <= FOR_MS; nowMs += TICK_MS) {
    for (const stream of streams) {
      if (!turns.isNext(stream)) continue;
      if (Number.isNaN(stream.sinceMs)) stream.sinceMs = nowMs;
      if (nowMs - stream.sinceMs < lateMs(stream.at)) continue;
      turns.take(stream);
      stream.taken++;
      stream.sinceMs = Number.NaN;
    }
  }
  return streams.map(({ taken }) => taken);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const MOST = FOR_MS / PICTURE_TURNS.everyMs + PICTURE_TURNS.atOnce;

test('a thousand broadcasts have no more samples decoded than one, and equally many each', () => {
  const one = run(1);
  const many = run(1_000);
  expect(sum(one)).toBeLessThanOrEqual(MOST);
  expect(sum(many)).toBeLessThanOrEqual(MOST);
  expect(sum(many)).toBeGreaterThan(0.95 * MOST);
  expect(Math.max(...many) - Math.min(...many)).toBeLessThanOrEqual(1);
});

test('gives each of sixty broadcasts as many turns, whenever their key frames come', () => {
  const taken = run(60, (at) => (at % 5) * 900);
  expect(Math.min(...taken)).toBeGreaterThan(2);
  expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(2);
});

test('broadcasts that have paused do not keep the others from their turn', () => {
  const taken = run(20, (at) => (at < 10 ? Number.POSITIVE_INFINITY : 0));
  expect(sum(taken.slice(0, 10))).toBe(0);
  expect(Math.min(...taken.slice(10))).toBeGreaterThan(5);
});

test('one that leaves gives its place away, and costs nothing', () => {
  const turns = new PictureTurns(() => 0);
  const streams = Array.from({ length: PICTURE_TURNS.atOnce + 1 }, (_, at) => ({ at }));
  expect(streams.map((stream) => turns.isNext(stream))).toEqual(streams.map(({ at }) => at < PICTURE_TURNS.atOnce));
  turns.leave(streams[0] ?? {});
  expect(turns.isNext(streams.at(-1) ?? {})).toBe(true);
});

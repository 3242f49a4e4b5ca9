/** The soak's judgement: growth is told from the ups and downs of collections. */
import { seededRandom } from '../../support/fuzz.js';

interface Growth {
  readonly perHour: number;
  readonly grows: boolean;
}

let growth: (seconds: readonly number[], values: readonly number[]) => Growth;
let svg: (picture: object) => string;
beforeAll(async () => {
  const bench = new URL('../../../bench/lib/', import.meta.url);
  ({ growth } = await import(new URL('trend.mjs', bench).href));
  ({ svg } = await import(new URL('plot.mjs', bench).href));
});

/** An hour in looks of 10 s. */
const seconds = Array.from({ length: 360 }, (_, i) => 10 * (i + 1));

/** Memory of 200 MB that rises by up to 30 MB and is collected every three minutes or so, with noise. */
function sawtooth(leakMbPerHour: number, settlingMb = 0): number[] {
  const random = seededRandom(7);
  return seconds.map((at) => {
    const settled = settlingMb * (1 - Math.exp(-at / 300));
    return 200 + settled + (30 * (at % 170)) / 170 + 4 * random() + (leakMbPerHour * at) / 3600;
  });
}

test('a heap that is filled and collected does not grow', () => {
  expect(growth(seconds, sawtooth(0)).grows).toBe(false);
});

test('a heap that reaches its size in the first minutes does not grow', () => {
  expect(growth(seconds, sawtooth(0, 80)).grows).toBe(false);
});

test('detects a leak of 100 bytes per second and publisher with 150 publishers', () => {
  const leakMb = (100 * 150 * 3600) / 1024 / 1024;
  const found = growth(seconds, sawtooth(leakMb));
  expect(found.grows).toBe(true);
  expect(found.perHour / leakMb).toBeGreaterThan(0.6);
  expect(found.perHour / leakMb).toBeLessThan(1.4);
});

test('released memory does not count as growth', () => {
  expect(growth(seconds, sawtooth(-60)).grows).toBe(false);
});

test('the plot contains each series, starts at 0 and escapes its title', () => {
  const picture = svg({
    title: 'a < b & "c"',
    times: [0, 60, 120],
    panels: [{ title: 'MB', series: [{ name: 'one', values: [50, 100, 75] }] }],
  });
  expect(picture).toContain('a &lt; b &amp; &quot;c&quot;');
  const points =
    /points="([^"]+)"/
      .exec(picture)?.[1]
      ?.split(' ')
      .map((pair) => pair.split(',').map(Number)) ?? [];
  const [first, second, third] = points as [[number, number], [number, number], [number, number]];
  expect(second[0] - first[0]).toBeCloseTo(third[0] - second[0]);
  // Up is less: the height over 0 of 50 is half of that of 100.
  const zero = 2 * first[1] - second[1];
  expect(zero - third[1]).toBeCloseTo(1.5 * (zero - first[1]), 0);
});

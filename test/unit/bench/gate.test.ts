/** The gate of the bench: ratios to the floor against those that are committed. */
type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;

let ratiosOf: (results: readonly object[]) => Ratios;
let compare: (ratios: Ratios, baseline: Ratios) => { readonly lines: readonly string[]; readonly isWorse: boolean };
beforeAll(async () => {
  ({ ratiosOf, compare } = await import(new URL('../../../bench/lib/gate.mjs', import.meta.url).href));
});

const load = { name: 'paced' };
const taken = (subject: string, cpuPerGb: number) => ({ load, subject, cpuPerGb });

test('takes each server as a multiple of the floor of the same load', () => {
  const results = [
    taken('floor', 2),
    taken('airlock', 2.5),
    { load: { name: 'alone' }, subject: 'airlock', cpuPerGb: 1 },
  ];
  expect(ratiosOf(results)).toEqual({ paced: { airlock: 1.25 } });
});

test.each([
  [1.38, false],
  [1.39, true],
])('%d against a baseline of 1.2 is worse: %p', (airlock, isWorse) => {
  expect(compare({ paced: { airlock } }, { paced: { airlock: 1.2 } }).isWorse).toBe(isWorse);
});

test('reports a load without a baseline and does not fail', () => {
  expect(compare({ paced: { airlock: 9 } }, {})).toEqual({
    lines: ['paced; airlock: 9, without a baseline'],
    isWorse: false,
  });
});

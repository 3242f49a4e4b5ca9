/** A process that waits for a processor is not replaced; one that hangs is. */
import { type ProcessorUse, processorUseOf, Starvation } from '../../../../src/server/supervisor/starvation.js';

const STAT = '4711 (airlock) ingest) R 1 4711 4711 0 -1 4194304 10 0 0 0 250 50 0 0 20 0 11 0 1 1 1';

test('reads the state and the processor time behind a name with a parenthesis', () => {
  expect(processorUseOf(STAT)).toEqual({ cpuMs: 3_000, isDue: true });
  expect(processorUseOf(STAT.replace(') R ', ') D ')).isDue).toBe(true);
  expect(processorUseOf(STAT.replace(') R ', ') T ')).isDue).toBe(false);
  expect(processorUseOf(STAT.replace(') R ', ') S ')).isDue).toBe(false);
});

function missesOf(uses: readonly (ProcessorUse | undefined)[]): boolean[] {
  const left = [...uses];
  const starvation = new Starvation(1, () => left.shift());
  return uses.map(() => starvation.missed());
}

const due = (cpuMs: number): ProcessorUse => ({ cpuMs, isDue: true });

test.each([
  ['waits for a processor', [due(9_000), due(9_300), due(9_600), due(9_900)], [true, true, true, true]],
  ['runs an endless loop', [due(9_000), due(10_490), due(10_500)], [true, true, false]],
  ['is stopped', [due(9_000), { cpuMs: 9_000, isDue: false }], [true, false]],
  ['cannot be read', [undefined], [false]],
])('a process that %s', (_what, uses, expected) => {
  expect(missesOf(uses)).toEqual(expected);
});

test('counts again after an answer', () => {
  const uses = [due(1_000), due(9_000), due(10_000)];
  const starvation = new Starvation(1, () => uses.shift());
  expect(starvation.missed()).toBe(true);
  starvation.answered();
  expect(starvation.missed()).toBe(true);
  expect(starvation.missed()).toBe(true);
});

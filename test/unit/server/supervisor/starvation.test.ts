/** A process that waits for a processor or works is not replaced; one that hangs is. */
import { readFileSync } from 'node:fs';
import {
  type ProcessorUse,
  processorUseOf,
  readUse,
  Starvation,
} from '../../../../src/server/supervisor/starvation.js';

const STAT = '4711 (airlock) ingest) R 1 4711 4711 0 -1 4194304 10 0 0 0 250 50 0 0 20 0 11 0 1 1 1';
const IO = 'rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\n';

test('reads the state and the processor time behind a name with a parenthesis', () => {
  expect(processorUseOf(STAT, IO)).toEqual({ cpuMs: 3_000, isDue: true, reads: 10 });
  expect(processorUseOf(STAT, '').reads).toBe(0);
  expect(processorUseOf(STAT.replace(') R ', ') D '), IO).isDue).toBe(true);
  expect(processorUseOf(STAT.replace(') R ', ') T '), IO).isDue).toBe(false);
  expect(processorUseOf(STAT.replace(') R ', ') S '), IO).isDue).toBe(false);
});

function missesOf(uses: readonly (ProcessorUse | undefined)[]): boolean[] {
  const left = [...uses];
  const starvation = new Starvation(1, () => left.shift());
  return uses.map(() => starvation.missed());
}

const due = (cpuMs: number, reads = 0): ProcessorUse => ({ cpuMs, isDue: true, reads });

test.each([
  ['waits for a processor', [due(9_000), due(9_300), due(9_600), due(9_900)], [true, true, true, true]],
  ['runs an endless loop', [due(9_000), due(10_490), due(10_500)], [true, true, false]],
  ['is stopped', [due(9_000), { cpuMs: 9_000, isDue: false, reads: 0 }], [true, false]],
  ['works', [due(0, 0), due(1_700, 400), due(3_400, 416), due(5_100, 800)], [true, true, true, true]],
  ['worked, and then hangs', [due(0, 0), due(1_700, 400), due(3_400, 410)], [true, true, false]],
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

test('work without any answer for a minute counts as hanging', () => {
  let at = 0;
  const starvation = new Starvation(1, () => due(1_700 * at, 400 * at++));
  expect(Array.from({ length: 35 }, () => starvation.missed())).toEqual(Array(35).fill(true));
  expect(starvation.missed()).toBe(false);
});

test('the kernel counts what a process reads', () => {
  const before = readUse(process.pid);
  for (let at = 0; at < 20; at++) readFileSync('/proc/self/stat');
  const after = readUse(process.pid);
  expect((after?.reads ?? 0) - (before?.reads ?? 0)).toBeGreaterThanOrEqual(20);
});

/** The gate of the bench: ratios to the floor against those that are committed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;

let ratiosOf: (results: readonly object[]) => Ratios;
let compare: (
  ratios: Ratios,
  baseline: Ratios,
  servers: readonly string[],
) => { readonly lines: readonly string[]; readonly failing: readonly string[] };
let ratiosOfTurns: (costs: readonly number[]) => readonly number[];
beforeAll(async () => {
  const bench = new URL('../../../bench/lib/', import.meta.url);
  ({ ratiosOf, compare } = await import(new URL('gate.mjs', bench).href));
  ({ ratiosOfTurns } = await import(new URL('turns.mjs', bench).href));
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

test('prefers the floor that ran at the same time to the median of all its runs', () => {
  const beside = { ...taken('airlock', 2.5), times: { floor: 1.4 } };
  expect(ratiosOf([taken('floor', 2), beside])).toEqual({ paced: { airlock: 1.4 } });
});

test('takes Airlock as a multiple of a server of others by the floors that ran beside both', () => {
  const results = [
    taken('floor', 2),
    { ...taken('airlock', 2.4), times: { floor: 1.2 } },
    { ...taken('nginx-rtmp', 6), times: { floor: 1.5 } },
  ];
  expect(ratiosOf(results)).toEqual({ paced: { airlock: 1.2, 'airlock to nginx-rtmp': 0.8 } });
});

test('a server of others that is not installed does not fail the gate', () => {
  const baseline = { paced: { airlock: 1.2, 'airlock to srs': 0.7 } };
  expect(compare({ paced: { airlock: 1.2 } }, baseline, SERVERS).failing).toEqual([]);
  expect(compare({ paced: { airlock: 1.2 } }, baseline, [...SERVERS, 'srs']).failing).toEqual([
    'paced; airlock to srs (not measured)',
  ]);
});

test('compares a flooded turn with the mean of the turns of the floor before and after it', () => {
  expect(ratiosOfTurns([1, 3, 3, 4, 5])).toEqual([1.5, 1]);
  // The machine slows down evenly: the same ratio in each turn.
  expect(ratiosOfTurns([4, 2.5, 6, 3.5, 8])).toEqual([0.5, 0.5]);
});

const SERVERS = ['floor', 'airlock'];

test.each([
  [1.38, []],
  [1.39, ['paced; airlock (+16 %)']],
])('%d against a baseline of 1.2 fails with %j', (airlock, failing) => {
  expect(compare({ paced: { airlock } }, { paced: { airlock: 1.2 } }, SERVERS).failing).toEqual(failing);
});

test('reports a load without a baseline and does not fail', () => {
  expect(compare({ paced: { airlock: 9 } }, {}, SERVERS)).toEqual({
    lines: ['paced; airlock: 9, without a baseline'],
    failing: [],
  });
});

test('fails when a server of the baseline was asked for and not measured', () => {
  const baseline = { paced: { airlock: 1.2, 'airlock-recording': 2 } };
  expect(compare({}, baseline, SERVERS).failing).toEqual(['paced; airlock (not measured)']);
});

test.each([
  { args: ['--help'], status: 0, stdout: /^Usage: npm run bench/, stderr: /^$/ },
  { args: ['--gates'], status: 2, stdout: /^$/, stderr: /^Unknown option '--gates'\n\nUsage: / },
  { args: ['--seconds', 'x'], status: 2, stdout: /^$/, stderr: /^--seconds takes a number\n\nUsage: / },
])('$args ends with $status and the usage', ({ args, status, stdout, stderr }) => {
  const ended = spawnSync(process.execPath, ['bench/run.mjs', ...args], { cwd: ROOT, encoding: 'utf8' });
  expect(ended.stdout).toMatch(stdout);
  expect(ended.stderr).toMatch(stderr);
  expect(ended.status).toBe(status);
});

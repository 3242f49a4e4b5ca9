/** Seeds in which everything must hold. More run in test/long and by `npm run simulate -- --seeds N --from M`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { FAULT_WEIGHTS, planOf } from './plan.js';
import { PLANTED } from './planted.js';
import { simulate, smallest } from './simulation.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SEEDS = 8;

/** Seeds that found a fault of the server, which was mended. */
const FOUND = [
  {
    seed: 52,
    fault:
      'a publish got the fence of the one before, whose release a failover lost, and its records were taken for old ones',
  },
  { seed: 78, fault: 'the end of a broadcast left its records open when the store went away after it' },
  { seed: 167, fault: 'two encoders with one key, in one process at once, both received the broadcast' },
  { seed: 331, fault: 'the journal removed a file with an entry that the store did not have' },
];

test(`everything holds in the runs of seeds 1 to ${SEEDS}`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { broken } = await simulate(seed);
    expect({ seed, broken }).toEqual({ seed, broken: [] });
  }
});

test.each(FOUND)('seed $seed no longer finds that $fault', async ({ seed }) => {
  expect((await simulate(seed)).broken).toEqual([]);
});

test('a seed gives the same run in every process, to the last byte of its trace', async () => {
  const here = await simulate(41, { isTraced: true });
  await simulate(42);
  expect((await simulate(41, { isTraced: true })).trace).toEqual(here.trace);
  const args = [
    '--import',
    './test/support/typescript-loader.mjs',
    'test/simulation/main.ts',
    '--seed',
    '41',
    '--trace',
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ stdout, stderr, status }).toEqual({
    stdout: `${here.trace.join('\n')}\n1 seeds from 41: 0 failed\n`,
    stderr: '',
    status: 0,
  });
});

test('every kind of fault is part of some plan among the first hundred', () => {
  const kinds = new Set(
    Array.from({ length: 100 }, (_, seed) => planOf(seed + 1)).flatMap(({ faults }) => faults.map(({ kind }) => kind)),
  );
  expect([...kinds].sort()).toEqual(Object.keys(FAULT_WEIGHTS).sort());
});

describe('a fault that is put in at a port is found:', () => {
  test.each(PLANTED)('$fault', async ({ seed, mutation, broken }) => {
    const run = await simulate(seed, { mutation });
    expect(run.broken.join('\n')).toMatch(broken);
    // Found by the fault, not by the seed.
    expect((await simulate(seed)).broken).toEqual([]);
  });

  test('a failing run is made small, and still fails', async () => {
    const [{ seed, mutation } = { seed: 0, mutation: {} }] = PLANTED;
    const run = await simulate(seed, { mutation });
    const least = await smallest(run, mutation);
    expect(least.plan.faults.length).toBeLessThanOrEqual(run.plan.faults.length);
    expect(least.broken).not.toEqual([]);
    expect(least.trace.at(-1)).toContain('BROKEN');
  });
});

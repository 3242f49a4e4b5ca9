/** Seeds in which everything must hold. More run in test/long and by `npm run simulate -- --seeds N --from M --jobs J`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesNow } from '../support/in-full.js';
import { PATCHES } from './patches.js';
import { FAULT_WEIGHTS, planOf } from './plan.js';
import { PLANTED } from './planted.js';
import { ROOT, runChanged, runMain } from './run-main.js';
import { simulate, smallest } from './simulation.js';

const SEEDS = 100;

test(`everything holds in the runs of seeds 1 to ${SEEDS}`, async () => {
  expect(await runMain('--seeds', String(SEEDS), '--jobs', '2')).toEqual({
    stdout: `${SEEDS} seeds from 1: 0 failed\n`,
    stderr: '',
    status: 0,
  });
}, 600_000);

describe('a seed gives the same run in every process, to the last byte of its trace', () => {
  // With a failover and a power loss; with a publish that is refused; with a backup; with a recording.
  test.each(casesNow([41, 2, 7, 23], (seed) => seed === 2))('seed %d', async (seed) => {
    const here = await simulate(seed, { isTraced: true });
    await simulate(42);
    expect((await simulate(seed, { isTraced: true })).trace).toEqual(here.trace);
    if (seed !== 2) return;
    expect(await runMain('--seed', String(seed), '--trace')).toEqual({
      stdout: `${here.trace.join('\n')}\n1 seeds from ${seed}: 0 failed\n`,
      stderr: '',
      status: 0,
    });
  });
});

test('every kind of fault is part of some plan among the first hundred', () => {
  const kinds = new Set(
    Array.from({ length: 100 }, (_, seed) => planOf(seed + 1)).flatMap(({ faults }) => faults.map(({ kind }) => kind)),
  );
  expect([...kinds].sort()).toEqual(Object.keys(FAULT_WEIGHTS).sort());
});

describe('a fault that is put in at a port is found:', () => {
  test.each(casesNow(PLANTED, (_planted, at) => at < 4))('$fault', async ({ seed, mutation, broken }) => {
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

describe('a fault of the server that the simulation found', () => {
  test.each(PATCHES)('can be put back: $fault', ({ changes }) => {
    for (const { file, from } of changes) expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2);
  });

  test.each(PATCHES)('is found by seed $seed no more: $fault', async ({ seed }) => {
    expect((await simulate(seed)).broken).toEqual([]);
  });

  test('and is found again where it is put back', async () => {
    const [{ changes, seed, broken }] = PATCHES as readonly [(typeof PATCHES)[number]];
    const { stdout, status } = await runChanged(changes, '--seed', String(seed));
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringMatching(broken) });
  });
});

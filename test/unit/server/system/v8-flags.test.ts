import { spawnSync } from 'node:child_process';
import { missingV8Flags, V8_FLAGS } from '../../../../src/server/system/v8-flags.js';

const FLAGS = V8_FLAGS.ingest;
const WITHOUT_SIZE = FLAGS.filter((flag) => !flag.startsWith('--max-semi-space-size'));

test('keeps given flags, with hyphens or underscores, on the command line or in NODE_OPTIONS', () => {
  expect(missingV8Flags(FLAGS, [])).toEqual(FLAGS);
  expect(missingV8Flags(FLAGS, FLAGS)).toEqual([]);
  expect(missingV8Flags(FLAGS, ['--max_semi_space_size=16', '--no-warnings'])).toEqual(WITHOUT_SIZE);
  expect(missingV8Flags(['--no-opt'], ['--opt'])).toEqual([]);
  expect(missingV8Flags(FLAGS, [], '--enable-source-maps --max-semi-space-size=8')).toEqual(WITHOUT_SIZE);
});

/** Allocates much that lives for a moment; prints the largest size of the young generation in MB. */
const YOUNG = `
  const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
  for (const flag of process.argv.slice(1).filter((text) => text !== '--')) setFlagsFromString(flag);
  const alive = new Array(60_000);
  let largest = 0;
  for (let i = 0; i < 2_000_000; i++) {
    alive[i % alive.length] = { i, pair: [i, i + 1] };
    if (i % 20_000 !== 0) continue;
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    largest = Math.max(largest, space_size);
  }
  console.log(largest / 2 ** 20);
`;

const youngMb = (flags: readonly string[], later: readonly string[] = []): number => {
  const { stdout } = spawnSync(process.execPath, [...flags, '-e', YOUNG, ...later], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return Number(stdout);
};

test('the flags bound the young generation on the command line, but not in a running process', () => {
  expect(youngMb(FLAGS)).toBe(4);
  expect(youngMb([])).toBeGreaterThan(4);
  expect(youngMb([], ['--', ...FLAGS])).toBeGreaterThan(4);
});

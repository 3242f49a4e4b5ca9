/**
 * The suite on each version of Node that `engines` names: with those that npm's package `node` has, besides the one that
 * runs this test. Needs a registry.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/store-harness.js';

const ROOT = join(import.meta.dirname, '..', '..');
const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** `^20.19.0 || ^22.12.0 || >=24.0.0`: 20, 22 and 24. */
const MAJORS: readonly string[] = engines.node.match(/\d+(?=\.\d+\.\d+)/g);
const own = process.versions.node.split('.')[0];
const others = MAJORS.filter((major) => major !== own);
const SUITE_MS = 3_600_000;

const folder = temporaryFolder();
afterAll(() => folder.remove());

test.each(others)(
  'the suite passes on Node %s',
  async (major) => {
    const { NODE_OPTIONS: _, JEST_WORKER_ID: __, ...env } = process.env;
    const found = spawnSync('npx', ['-y', `node@${major}`, '-p', 'process.execPath'], { encoding: 'utf8', env });
    expect({ status: found.status, stderr: found.stderr }).toMatchObject({ status: 0 });
    const report = join(folder.path, `${major}.json`);
    const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
    const suite = spawn(found.stdout.trim(), [...jest, '--json', '--outputFile', report], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(suite, 'exit');
    const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults.filter(({ status }: { status: string }) => status !== 'passed');
    expect(failed.map(({ name }: { name: string }) => name)).toEqual([]);
    expect(numTotalTests).toBeGreaterThan(1_000);
  },
  SUITE_MS,
);

/** The simulation in a process of its own, as `npm run simulate` starts it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Patch } from './patches.js';

export const ROOT = join(import.meta.dirname, '..', '..');

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

function run(args: readonly string[], changes: Patch['changes']): Promise<Ended> {
  const child = spawn(
    process.execPath,
    ['--import', './test/support/typescript-loader.mjs', 'test/simulation/main.ts', ...args],
    { cwd: ROOT, stdio: 'pipe', env: { ...process.env, SIMULATED_FAULT: JSON.stringify(changes) } },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ stdout, stderr, status }));
  });
}

export const runMain = (...args: readonly string[]): Promise<Ended> => run(args, []);

/** With faults put back. */
export const runChanged = (changes: Patch['changes'], ...args: readonly string[]): Promise<Ended> => run(args, changes);

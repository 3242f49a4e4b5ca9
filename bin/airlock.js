#!/usr/bin/env node
/**
 * The command `airlock`. It stands in the repository, so that `npx airlock` finds it in a clone that is not built yet: npm keeps
 * for good that a package has no such command.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const build = join(root, 'scripts', 'build.mjs');

if (!existsSync(join(root, 'dist', 'main.js')) && existsSync(build)) {
  process.stderr.write('airlock: building what is missing\n');
  // Standard output belongs to the command.
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write('airlock: the build failed; it needs all packages: npm ci\n');
    process.exit(2);
  }
}
await import('../dist/main.js');

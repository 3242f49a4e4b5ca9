/** A copy of the tree in a folder whose name a URL encodes: the build looks at its sources there, and the server runs. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { folderOfFile } from '../support/folders.js';
import { inFull } from '../support/in-full.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = folderOfFile('airlock-names-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

inFull('the build and the server run in a folder with spaces, an umlaut and a percent sign', async () => {
  const cwd = join(folder, 'mit ü und leer, 100%41');
  mkdirSync(cwd);
  // With its times: the build is not stale.
  const parts = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src', 'dist'];
  execFileSync('cp', ['--archive', ...parts.map((part) => join(ROOT, part)), cwd]);
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  const env = { ...process.env, NODE_OPTIONS: '', AIRLOCK_HTTP_PORT: '0', AIRLOCK_RTMPS_PORT: '0' };
  const build = spawnSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd, env, encoding: 'utf8' });
  expect(build).toMatchObject({ status: 0, stderr: '' });
  const server = spawn(process.execPath, ['dist/main.js', 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'close');
  const printed: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    printed.push(line);
    if (line === 'Airlock is ready.') server.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  expect(printed.join('\n')).toContain(`in ${join(cwd, 'data', 'quickstart.json')}`);
});

/** The package in an empty folder: it installs without a compiler and without the media tools, and runs. Needs a registry. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = folderOfFile('airlock-package-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[], cwd: string) {
  return spawnSync(program, args, { cwd, encoding: 'utf8' });
}

test('installs in an empty folder and runs', async () => {
  expect(run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], ROOT).status).toBe(0);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(statSync(join(folder, tarball)).size).toBeLessThan(5_000_000);
  writeFileSync(join(folder, 'package.json'), '{}');
  // No install script runs, so nothing is compiled.
  const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`];
  expect(run('npm', install, folder)).toMatchObject({ status: 0 });
  // `ffprobe-static` and the ffmpeg installer are taken away: files of FLV need no tool.
  rmSync(join(folder, 'node_modules/ffprobe-static'), { recursive: true, force: true });
  rmSync(join(folder, 'node_modules/@ffmpeg-installer'), { recursive: true, force: true });
  writeFileSync(join(folder, 'x.flv'), flvFile(synthStream({ durationMs: 6000 })));
  expect(run('npx', ['--no', 'airlock', 'validate', 'x.flv'], folder)).toMatchObject({ status: 0 });

  const env = { ...process.env, AIRLOCK_HTTP_PORT: '0', AIRLOCK_RTMPS_PORT: '0' };
  const server = spawn('npx', ['--no', 'airlock', 'serve'], { cwd: folder, env, detached: true });
  try {
    expect(await firstOf(server)).toContain('Airlock is ready');
  } finally {
    const ended = once(server, 'exit');
    process.kill(-(server.pid ?? 0), 'SIGTERM');
    await ended;
  }
}, 900_000);

/** What it prints until it is ready or ends. */
async function firstOf(server: ChildProcess): Promise<string> {
  let printed = '';
  const ended = once(server, 'exit').then(() => undefined);
  while (!printed.includes('Airlock is ready')) {
    const data = await Promise.race([once(server.stdout ?? process.stdin, 'data'), ended]);
    if (data === undefined) break;
    printed += String(data[0]);
  }
  return printed;
}

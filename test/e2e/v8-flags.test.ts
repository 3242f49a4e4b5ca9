/** The server runs with the flags of V8 however it is started, and its first process stands for it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { V8_FLAGS } from '../../src/server/system/v8-flags.js';
import { MAIN } from '../support/airlock.js';
import { folderOfFile } from '../support/folders.js';

const folder = folderOfFile('airlock-flags-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cmdlineOf = (pid: string | number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};
const childrenOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );

async function start(flags: readonly string[]) {
  const child = spawn(process.execPath, [...flags, MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      AIRLOCK_DATA_DIR: join(folder, 'data'),
      AIRLOCK_CERTS_DIR: join(folder, 'certs'),
      AIRLOCK_RTMPS_PORT: '0',
      AIRLOCK_HTTP_PORT: '0',
    },
  });
  let stdout = '';
  for await (const bytes of child.stdout.iterator({ destroyOnReturn: false })) {
    stdout += String(bytes);
    if (stdout.includes('Airlock is ready')) break;
  }
  child.stdout.resume();
  return child;
}

test('runs with all flags when started without any, and ends with its launcher', async () => {
  const launcher = await start([]);
  const [server = ''] = childrenOf(launcher.pid ?? 0).filter((pid) => cmdlineOf(pid).includes(MAIN));
  for (const flag of V8_FLAGS.ingest) expect(cmdlineOf(server)).toContain(flag);
  // The pipe of standard output is the server's as well: it closes when both are gone.
  const closed = once(launcher, 'close');
  launcher.kill('SIGKILL');
  await closed;
  expect(cmdlineOf(server)).toBe('');
});

test('keeps the value of a flag that the operator gave', async () => {
  const launcher = await start(['--max-semi-space-size=16']);
  const [server = ''] = childrenOf(launcher.pid ?? 0).filter((pid) => cmdlineOf(pid).includes(MAIN));
  expect(cmdlineOf(server)).toContain('--max-semi-space-size=16 --heap-growing-percent=20');
  const exited = once(launcher, 'exit');
  launcher.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('runs without a launcher when started with all flags', async () => {
  const server = await start(V8_FLAGS.ingest);
  expect(childrenOf(server.pid ?? 0).filter((pid) => cmdlineOf(pid).includes(MAIN))).toEqual([]);
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

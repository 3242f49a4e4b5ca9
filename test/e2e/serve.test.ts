/** The built program as an operator runs it: start, commands beside it, stop. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { folderOfFile } from '../support/folders.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const folder = folderOfFile('airlock-serve-');
const env = {
  ...process.env,
  NODE_OPTIONS: '',
  AIRLOCK_RTMPS_PORT: '0',
  AIRLOCK_HTTP_PORT: '0',
  // The settings are logged at this level.
  AIRLOCK_LOG_LEVEL: 'debug',
  AIRLOCK_KEY_SECRET: 'pZ5kD8rXw2QnB7vM4tLc9HyS3gJf6Ua1',
};
let child: ChildProcess;
let stdout = '';
let stderr = '';

const airlock = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { cwd: folder, env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout: out, stderr: err }),
    );
  });
const json = async (...args: string[]) => JSON.parse((await airlock(...args, '--format', 'json')).stdout);
const quickstart = () => JSON.parse(readFileSync(join(folder, 'data', 'quickstart.json'), 'utf8'));

async function start(): Promise<void> {
  stdout = '';
  child = spawn(process.execPath, [MAIN, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
      if (/^Sign in: npx airlock sign-in$/m.test(stdout)) resolve();
    });
    child.once('exit', () => reject(new Error(stderr)));
  });
}

beforeAll(start);
afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

test('the output, which is no terminal, names quickstart.json and holds none of its secrets', () => {
  const made = quickstart();
  expect(stdout).toContain(`Stream URL    ${made.stream_url_base}`);
  expect(stdout).toContain(`Dashboard     ${made.dashboard_url}`);
  expect(stdout).toContain(join(folder, 'data', 'quickstart.json'));
  const codes = [made.stream_key, made.access_token, made.sign_in_url, made.dock_url].map((text) => text.slice(-32));
  for (const secret of codes) expect(stdout).not.toContain(secret);
});

test('logs the settings without secret, stream key or token', () => {
  const made = quickstart();
  expect(stderr).toContain('"AIRLOCK_KEY_SECRET":"***"');
  for (const secret of [env.AIRLOCK_KEY_SECRET, made.stream_key, made.access_token])
    expect(stderr).not.toContain(secret);
});

test('objects created on the command line are available over HTTP at once', async () => {
  const page = await json('owner', 'add', 'page', 'Second Page');
  const { token } = await json('token', 'issue', page.id, '--scopes', 'all', '--days', '1');
  const live = await json('live', 'create', '--owner', page.id, '--title', 'From a script');
  const read = async () => {
    const answer = await fetch(`${quickstart().http_url}/${live.id}?fields=title,status&access_token=${token}`);
    return { status: answer.status, body: await answer.json() };
  };
  expect(await read()).toMatchObject({ status: 200, body: { title: 'From a script' } });
  expect((await airlock('token', 'revoke', token)).code).toBe(0);
  expect((await read()).status).toBe(401);
  expect(await json('live', 'errors', live.id)).toEqual({ errors: [], has_more: false });
});

test('reports a fault in one line with an exit code', async () => {
  expect(await airlock('live', 'show', '17')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^airlock: No live video with this ID\.\n$/),
  });
});

test('doctor finds the running server and no problem', async () => {
  const { code, stdout: said } = await airlock('doctor');
  expect(said).toMatch(/^ok {4}certificate .*server\.crt, for localhost/m);
  expect(said).toMatch(/^ok {4}trust .*ca\.crt/m);
  expect(said).toMatch(/^ok {4}store +embedded, open in the running server/m);
  expect(said).not.toMatch(/^fail/m);
  expect(code).toBe(0);
});

test('exits with 0 when stopped; commands then use the store directly', async () => {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0);
  const { owners } = await json('owner', 'list');
  expect(owners.map((owner: { name: string }) => owner.name)).toContain('Second Page');
});

test('keeps key, owners and authority across a restart', async () => {
  const [key, authority] = [quickstart().stream_key, readFileSync(join(folder, 'certs', 'ca.crt'), 'utf8')];
  await start();
  expect(quickstart().stream_key).toBe(key);
  expect(readFileSync(join(folder, 'certs', 'ca.crt'), 'utf8')).toBe(authority);
});

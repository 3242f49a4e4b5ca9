/** The health check of the container image asks the probe port, or the HTTP port when there is none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'healthcheck.mjs');

let server: Server;
let asked: (string | undefined)[];
let status = 200;
beforeEach(async () => {
  asked = [];
  status = 200;
  server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function exitCode(env: NodeJS.ProcessEnv): Promise<unknown> {
  const child = spawn(process.execPath, ['--no-warnings', SCRIPT], { env: { PATH: process.env.PATH, ...env } });
  return (await once(child, 'exit'))[0];
}

const port = () => String((server.address() as AddressInfo).port);

test('asks the probe port without TLS, whatever the HTTP port speaks', async () => {
  expect(await exitCode({ AIRLOCK_PROBE_PORT: port(), AIRLOCK_HTTP_PORT: '1', AIRLOCK_HTTPS: 'on' })).toBe(0);
  expect(asked).toEqual(['/healthz']);
});

test.each([
  ['0.0.0.0', 0],
  ['127.0.0.1', 0],
  ['127.0.0.9', 1],
])('asks the address that the probe port binds to: %s', async (host, code) => {
  expect(await exitCode({ AIRLOCK_PROBE_PORT: port(), AIRLOCK_PROBE_HOST: host })).toBe(code);
});

test('asks the HTTP port when there is no probe port, and fails unless it answers 200', async () => {
  expect(await exitCode({ AIRLOCK_PROBE_PORT: '', AIRLOCK_HTTP_PORT: port() })).toBe(0);
  status = 503;
  expect(await exitCode({ AIRLOCK_HTTP_PORT: port() })).toBe(1);
  expect(await exitCode({ AIRLOCK_HTTP_PORT: port(), AIRLOCK_PROBE_PORT: '1' })).toBe(1);
  expect(asked).toHaveLength(2);
});

test('asks the HTTP port when the probe port is off, at the address that it binds to', async () => {
  expect(await exitCode({ AIRLOCK_PROBE_PORT: 'off', AIRLOCK_HTTP_PORT: port() })).toBe(0);
  const env = { AIRLOCK_PROBE_PORT: 'off', AIRLOCK_HTTP_PORT: port() };
  expect(await exitCode({ ...env, AIRLOCK_HOST: '::' })).toBe(0);
  expect(await exitCode({ ...env, AIRLOCK_HOST: '::1' })).toBe(1);
  await new Promise((resolve) => server.close(resolve));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  for (const AIRLOCK_HOST of ['::1', '[::1]']) {
    expect(await exitCode({ AIRLOCK_HTTP_PORT: port(), AIRLOCK_HOST })).toBe(0);
  }
  expect(await exitCode({ AIRLOCK_PROBE_PORT: port(), AIRLOCK_PROBE_HOST: '::1' })).toBe(0);
});

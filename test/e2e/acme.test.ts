/** A certificate from an ACME authority: Pebble, over HTTP-01, with its failures. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { Airlock, MAIN } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { Pebble } from '../support/pebble.js';

const run = promisify(execFile);

let pebble: Pebble;
let folder: string;
let airlock: Airlock;

beforeAll(async () => {
  pebble = await Pebble.start();
  folder = mkdtempSync(join(tmpdir(), 'airlock-acme-'));
});
afterAll(async () => {
  await airlock?.stop();
  await pebble?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const settings = (domains: string, port: number, directory = pebble.directory) => ({
  AIRLOCK_ACME_DOMAINS: domains,
  AIRLOCK_ACME_DIRECTORY: directory,
  AIRLOCK_ACME_PORT: String(port),
  AIRLOCK_ACME_EMAIL: 'operator@example.test',
});

async function start(env: Record<string, string>): Promise<void> {
  await airlock?.stop();
  airlock = await Airlock.start({ ...env, NODE_EXTRA_CA_CERTS: pebble.authorityFile }, folder);
}

const file = (name: string): string => join(folder, 'certs', name);

function status(): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file('acme-status.json'), 'utf8'));
  } catch {
    return {};
  }
}

const untilStatus = (willDo: (status: Record<string, unknown>) => boolean) =>
  airlock.until(async () => status(), willDo);

/** What it writes, its errors included. */
async function doctor(env: Record<string, string>): Promise<string> {
  const places = { AIRLOCK_DATA_DIR: join(folder, 'data'), AIRLOCK_CERTS_DIR: join(folder, 'certs') };
  const options = { env: { ...process.env, ...env, ...places } };
  const ended = await run(process.execPath, [MAIN, 'doctor'], options).catch((error: unknown) => Object(error));
  return `${ended.stdout}${ended.stderr}`;
}

/** The names and the issuer of the certificate that the RTMPS port shows. */
function shown(): Promise<{ names: string; issuer: string }> {
  return new Promise((resolve, reject) => {
    const { rtmps_port: port } = airlock.quickstart;
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { subjectaltname = '', issuer } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ names: subjectaltname, issuer: String(issuer.CN) });
    });
    socket.once('error', reject);
  });
}

inFull(
  'an authority that cannot be reached, or cannot reach the port, is reported; streams use the local certificate',
  async () => {
    const away = settings('live.example.test', 0, 'https://127.0.0.1:1/dir');
    await start(away);
    await untilStatus(({ problem }) => problem === 'unreachable');
    expect(await doctor(away)).toMatch(/no certificate was issued \(unreachable: .*The authority does not answer/);

    const closed = settings('live.example.test', 0);
    await start(closed);
    const { nextAttemptMs, failures } = await untilStatus(({ problem }) => problem === 'connection');
    expect(failures).toBe(1);
    expect(Number(nextAttemptMs)).toBeGreaterThan(Date.now() + 60_000);
    expect(await doctor(closed)).toMatch(/\(connection: .*next try at .*cannot reach port 80/);
    expect((await shown()).issuer).toMatch(/^Airlock local authority/);
  },
);

test('a certificate is issued, used without a restart, and kept secret', async () => {
  const open = settings('live.example.test,www.example.test', pebble.httpPort);
  await start(open);
  const issued = await airlock.until(shown, ({ issuer }) => issuer.startsWith('Pebble'));
  expect(issued.names.split(', ').sort()).toEqual(['DNS:live.example.test', 'DNS:www.example.test']);
  expect(status()).toMatchObject({ failures: 0, domains: ['live.example.test', 'www.example.test'] });
  expect(await doctor(open)).toMatch(/certificate +.*acme\.crt, for /);
  expect(['acme.key', 'acme-status.json'].map((name) => statSync(file(name)).mode & 0o777)).toEqual([0o600, 0o600]);
  const key = readFileSync(file('acme.key'), 'utf8').split('\n')[1] ?? '';
  expect([airlock.log.includes(key), airlock.log.includes('PRIVATE KEY')]).toEqual([false, false]);
});

test('a restart orders nothing: the certificate comes from the store', async () => {
  const before = readFileSync(file('acme.crt'), 'utf8');
  rmSync(file('acme.crt'));
  rmSync(file('acme.key'));
  await pebble.stop();
  await start(settings('live.example.test,www.example.test', pebble.httpPort));
  await airlock.until(shown, ({ issuer }) => issuer.startsWith('Pebble'));
  expect(readFileSync(file('acme.crt'), 'utf8')).toBe(before);
  expect(airlock.log).not.toMatch(/ordering a certificate/);
});

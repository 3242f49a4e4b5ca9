/** A certificate replaced while encoders publish, and an expired one. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeAuthority, makeServerCertificate, type PemPair } from '../../src/config/certificates/authority.js';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { folderOfFile } from '../support/folders.js';

const servers: Airlock[] = [];
const folder = folderOfFile('airlock-pair-');
const [cert, key] = [join(folder, 'live.crt'), join(folder, 'live.key')];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((airlock) => airlock.stop()));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Replaces the pair with a new one, key first, as renewal tools do. */
function renew(name: string, days: string): void {
  const [newCert, newKey] = [`${cert}.new`, `${key}.new`];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    newKey,
    '-out',
    newCert,
  ];
  execFileSync('openssl', ['req', '-x509', ...made, '-days', days, ...subject], { stdio: 'ignore' });
  renameSync(newKey, key);
  renameSync(newCert, cert);
}

/** Writes the given pair. */
function put(pair: PemPair): void {
  writeFileSync(key, pair.privateKey);
  writeFileSync(cert, pair.certificate);
}

async function server(): Promise<Airlock> {
  const airlock = await Airlock.start({ AIRLOCK_TLS_CERT: cert, AIRLOCK_TLS_KEY: key, AIRLOCK_HTTPS: 'off' });
  servers.push(airlock);
  return airlock;
}

async function shown(airlock: Airlock): Promise<string> {
  const socket = connect({ port: airlock.quickstart.rtmps_port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test('uses a replaced certificate for new handshakes, keeps publishers connected, and keeps the TLS settings', async () => {
  renew('first', '90');
  const airlock = await server();
  const bystander = await Bystander.start(airlock, cert);
  expect(await shown(airlock)).toBe('first');
  renew('second', '90');
  await airlock.until(
    () => shown(airlock),
    (name) => name === 'second',
  );
  const socket = connect({ port: airlock.quickstart.rtmps_port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  expect(socket.getProtocol()).toBe('TLSv1.2');
  const refused = once(socket, 'error');
  socket.renegotiate({ rejectUnauthorized: false }, () => undefined);
  expect((await refused)[0]).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
  await expectUntouched(bystander);
});

test('starts with an expired certificate and warns that encoders will reject it', async () => {
  const longAgo = Date.now() - 400 * 86_400_000;
  const authority = await makeAuthority(['localhost', '127.0.0.1'], longAgo);
  put(await makeServerCertificate(authority, ['localhost', '127.0.0.1'], longAgo));
  const airlock = await server();
  expect(airlock.log).toMatch(/"level":"warn".*expired on .*encoders will reject it/);
  const encoder = connect({
    port: airlock.quickstart.rtmps_port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: authority.certificate,
  });
  const [refused] = await once(encoder, 'error');
  expect(refused).toMatchObject({ code: 'CERT_HAS_EXPIRED' });
});

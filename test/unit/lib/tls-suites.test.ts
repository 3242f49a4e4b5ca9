/** Which suites a listener accepts, tried by clients that offer one suite only. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { makeAuthority, makeServerCertificate, type PemPair } from '../../../src/config/certificates/authority.js';
import { cipherList, type TlsSuites } from '../../../src/lib/tls-suites.js';

let pair: PemPair;
beforeAll(async () => {
  const nowMs = Date.now();
  pair = await makeServerCertificate(await makeAuthority(['localhost'], nowMs), ['localhost'], nowMs);
});

async function accepted(suites: TlsSuites, offers: readonly string[]): Promise<string[]> {
  const server = createServer({
    cert: pair.certificate,
    key: pair.privateKey,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: cipherList(suites),
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const result: string[] = [];
  for (const ciphers of offers) {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers });
    const isAccepted = await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isAccepted) result.push(ciphers);
  }
  server.close();
  return result;
}

/** What OBS (Mbed TLS), ffmpeg and GStreamer (OpenSSL, GnuTLS) offer first, and suites of older firmware. */
const FORWARD_SECRET = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'];
const CBC_SHA2 = ['ECDHE-RSA-AES128-SHA256', 'ECDHE-RSA-AES256-SHA384'];
const OLD = ['ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA', 'AES128-GCM-SHA256', 'AES256-SHA256', 'AES128-SHA'];
const NEVER = ['AES128-CCM', 'AES256-CCM8', 'ARIA128-GCM-SHA256', 'ECDHE-ARIA256-GCM-SHA384'];
const ALL = [...FORWARD_SECRET, ...CBC_SHA2, ...OLD, ...NEVER];

test('modern accepts only suites with forward secrecy, none of them CBC with SHA-1, CCM or ARIA', async () => {
  expect(await accepted('modern', ALL)).toEqual([...FORWARD_SECRET, ...CBC_SHA2]);
});

test('legacy also accepts those of older firmware', async () => {
  expect(await accepted('legacy', ALL)).toEqual([...FORWARD_SECRET, ...CBC_SHA2, ...OLD]);
});

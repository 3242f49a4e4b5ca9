/** The conformance cases of TLS against a listener of this process, and faults that are planted in its options. */
import type { TlsOptions } from 'node:tls';
import { makeAuthority, makeServerCertificate } from '../../src/config/certificates/authority.js';
import type { Case } from '../../src/conform/case.js';
import { CASES } from '../../src/conform/cases/index.js';
import { runCases } from '../../src/conform/runner.js';
import { pause, SocketPeer } from '../../src/conform/socket-peer.js';
import { contextOptions } from '../../src/ingest/sockets/listener.js';
import { KEYS, listen, SessionIngest } from '../support/session-ingest.js';

const NAMES = ['localhost'];
const authority = await makeAuthority(NAMES, Date.now());
const { certificate: cert, privateKey: key } = await makeServerCertificate(authority, NAMES, Date.now());
const SOUND: TlsOptions = contextOptions({ cert, key }, { maxVersion: 'TLSv1.2' });
const isSlow = ({ waitsMs }: Case) => waitsMs !== undefined;

/** Ids of the cases of TLS that fail against a listener with these options. */
async function failuresOf(options: TlsOptions, only: (of: Case) => boolean): Promise<string[]> {
  const { port, close } = await listen(new SessionIngest(), { ...SOUND, ...options });
  const { results } = await runCases(
    CASES.filter((each) => each.group === 'tls' && only(each)),
    {
      peer: new SocketPeer({
        host: 'localhost',
        port,
        isSecure: true,
        app: 'live',
        tcUrl: `rtmps://localhost:${port}/live`,
        insecure: false,
        authorities: [authority.certificate],
      }),
      keys: KEYS,
      timeoutMs: 2000,
      pause,
    },
  );
  await close();
  return results.filter(({ verdict }) => verdict === 'fail').map((result) => result.case.id);
}

test.each<[string, TlsOptions, string[]]>([
  ['the options of the server', {}, []],
  ['TLS 1.3 with its tickets', { maxVersion: 'TLSv1.3' }, ['tls/no-session-ticket']],
  [
    'TLS 1.0',
    { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0', sigalgs: 'rsa_pkcs1_sha256:rsa_pkcs1_sha1' },
    ['tls/old-versions'],
  ],
  ['suites without encryption', { ciphers: 'ECDHE:eNULL:@SECLEVEL=0' }, ['tls/weak-ciphers']],
  ['a request for a certificate', { requestCert: true, rejectUnauthorized: false }, ['tls/no-certificate-request']],
  ['signatures as the client prefers them', { sigalgs: undefined }, ['tls/pkcs1-signature']],
  [
    'TLS 1.3 only',
    { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
    ['tls/camera-ciphers', 'tls/no-session-ticket', 'tls/version-1-2'],
  ],
  [
    'no name but its own',
    { SNICallback: (name, done) => done(name === 'localhost' ? null : new Error(name)) },
    ['tls/wrong-sni'],
  ],
])('%s', async (_what, options, found) => {
  expect(await failuresOf(options, (each) => !isSlow(each))).toEqual(found);
});

test('a handshake that does not go on is closed by a listener with a deadline', async () => {
  expect(await failuresOf({ handshakeTimeout: 500 }, isSlow)).toEqual([]);
});

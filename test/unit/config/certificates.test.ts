import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { makeAuthority, makeServerCertificate, type PemPair } from '../../../src/config/certificates/authority.js';
import {
  type CertificateChange,
  renewCertificate,
  watchCertificate,
} from '../../../src/config/certificates/certificate-watch.js';
import {
  CertificateError,
  ensureCertificate,
  inspectCertificate,
  readPair,
} from '../../../src/config/certificates/certificates.js';
import { isConstrained, nameConstraints, permits } from '../../../src/config/certificates/name-constraints.js';
import { inFull } from '../../support/in-full.js';

const DAY_MS = 86_400_000;
const root = mkdtempSync(join(tmpdir(), 'airlock-certs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const config = (more: object = {}) => ({
  certsDir: join(root, 'certs'),
  publicHost: 'live.example.org',
  publicHttpUrl: undefined,
  publicRtmpsUrl: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  ...more,
});
const file = (name: string) => join(root, 'certs', name);
const read = (name: string) => readFileSync(file(name), 'utf8');
const leaf = () => new X509Certificate(read('server.crt'));

beforeAll(async () => {
  expect((await ensureCertificate(config())).made).toBe('authority');
});

describe('local authority', () => {
  test('creates private keys with mode 0600, a complete chain and a server leaf', () => {
    expect(statSync(file('ca.key')).mode & 0o777).toBe(0o600);
    expect(statSync(file('server.key')).mode & 0o777).toBe(0o600);
    expect(read('server.crt').match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const authority = new X509Certificate(read('ca.crt'));
    expect(leaf().checkIssued(authority) && leaf().verify(authority.publicKey)).toBe(true);
    expect(authority.ca).toBe(true);
    expect(leaf().ca).toBe(false);
    expect(leaf().keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf().publicKey.asymmetricKeyType).toBe('rsa');
  });

  test('covers the public host, localhost and both loopback addresses', () => {
    expect(leaf().checkHost('live.example.org')).toBeDefined();
    expect(leaf().checkHost('localhost')).toBeDefined();
    expect(leaf().checkIP('127.0.0.1')).toBeDefined();
    expect(leaf().checkIP('::1')).toBeDefined();
  });

  test('is accepted by name and by address only by a TLS client that trusts the authority', async () => {
    const server = createServer({ cert: read('server.crt'), key: read('server.key') }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const authorized = (host: string, ca: string | undefined) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({
          host: '127.0.0.1',
          port,
          ...(ca ? { ca } : {}),
          servername: host === '127.0.0.1' ? '' : host,
        });
        socket.once('secureConnect', () => resolve(socket.end().authorized));
        socket.once('error', () => resolve(false));
      });
    expect(await authorized('localhost', read('ca.crt'))).toBe(true);
    expect(await authorized('127.0.0.1', read('ca.crt'))).toBe(true);
    expect(await authorized('localhost', undefined)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('name constraints', () => {
  let authority: PemPair;
  beforeAll(async () => {
    authority = await makeAuthority(['media.example.org', 'localhost', '127.0.0.1', '2001:db8::7'], Date.now());
  });

  /** The error of a client that trusts the authority, or `undefined`. */
  async function refusal(pair: PemPair, authority: string, servername: string): Promise<string | undefined> {
    const server = createServer({ cert: pair.certificate, key: pair.privateKey }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const code = await new Promise<string | undefined>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ca: authority, ...(servername === '' ? {} : { servername }) });
      socket.once('secureConnect', () => resolve(undefined));
      socket.once('error', (error: Error) => resolve(error.message));
      socket.once('close', () => server.close());
      socket.once('secureConnect', () => socket.end());
    });
    return code;
  }

  test.each([
    ['media.example.org', undefined],
    ['localhost', undefined],
    ['2001:db8::7', undefined],
    ['other.example.org', 'permitted subtree violation'],
    ['192.0.2.1', 'permitted subtree violation'],
  ])('a certificate for %s: %s', async (name, code) => {
    const pair = await makeServerCertificate(authority, [name, '127.0.0.1'], Date.now());
    expect(await refusal(pair, authority.certificate, isIP(name) === 0 ? name : '')).toBe(code);
    expect(isConstrained(new X509Certificate(authority.certificate).raw)).toBe(true);
  });

  test('are encoded as RFC 5280 describes', () => {
    expect(nameConstraints(['a.b', '127.0.0.1', '::ffff:1.2.3.4']).toString('hex')).toBe(
      '3039a03730058203612e62' +
        '300a87087f000001ffffffff' +
        `302287200000000000000000 0000ffff01020304${'ff'.repeat(16)}`.replace(' ', ''),
    );
  });

  test('of the local authority permit the names of the server', () => {
    expect(isConstrained(new X509Certificate(read('ca.crt')).raw)).toBe(true);
    expect(permits(new X509Certificate(read('ca.crt')).raw, ['live.example.org', '::1'])).toBe(true);
    expect(permits(new X509Certificate(read('ca.crt')).raw, ['example.org'])).toBe(false);
  });
});

describe('renewal', () => {
  test('keeps the certificate while names and expiry are unchanged', async () => {
    const before = read('server.crt');
    expect(await ensureCertificate(config())).toMatchObject({ made: 'nothing', kind: 'local' });
    expect(read('server.crt')).toBe(before);
  });

  test('renews the certificate under the same authority while that permits the names', async () => {
    const authority = read('ca.crt');
    expect((await ensureCertificate(config({ publicHost: 'localhost' }))).made).toBe('certificate');
    expect(read('ca.crt')).toBe(authority);
    expect(leaf().checkHost('live.example.org')).toBeUndefined();
    expect((await ensureCertificate(config())).made).toBe('certificate');
    expect(read('ca.crt')).toBe(authority);
  });

  test('makes a new authority for a name that the old one is not constrained to', async () => {
    const authority = read('ca.crt');
    expect((await ensureCertificate(config({ publicHost: '192.0.2.5' }))).made).toBe('authority');
    expect(read('ca.crt')).not.toBe(authority);
    expect(leaf().checkIP('192.0.2.5')).toBeDefined();
    expect((await ensureCertificate(config())).made).toBe('authority');
  });

  test('renews the certificate 30 days before it expires, not 31', async () => {
    const expiresMs = Date.parse(leaf().validTo);
    expect((await ensureCertificate(config(), { nowMs: expiresMs - 31 * DAY_MS })).made).toBe('nothing');
    expect((await ensureCertificate(config(), { nowMs: expiresMs - 30 * DAY_MS })).made).toBe('certificate');
  });

  test('renews the pair when its key is missing or does not match', async () => {
    writeFileSync(file('server.key'), read('ca.key'));
    expect((await ensureCertificate(config())).made).toBe('certificate');
    rmSync(file('server.key'));
    expect((await ensureCertificate(config())).made).toBe('certificate');
  });
});

describe('the authority after a wrong clock', () => {
  const TEN_YEARS_MS = 3_650 * DAY_MS;
  const at = (nowMs: number) => ensureCertificate(wrong, { nowMs });
  const wrong = config({ certsDir: join(root, 'wrong') });
  const authorityNow = () => readFileSync(join(root, 'wrong', 'ca.crt'), 'utf8');

  /** What curl and encoders find, with nothing but this root. */
  async function trusting(ca: string): Promise<string | undefined> {
    const [cert, key] = ['server.crt', 'server.key'].map((name) => readFileSync(join(root, 'wrong', name)));
    const server = createServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
    const refusal = await once(socket, 'secureConnect').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
    server.close();
    return refusal;
  }

  test('is made again with its key, so that clients which trusted it before still do', async () => {
    const nowMs = Date.now();
    expect((await at(nowMs)).warnings).toEqual([]);
    const trusted = authorityNow();
    // Ten years ahead: the authority has expired.
    expect(await at(nowMs + TEN_YEARS_MS + DAY_MS)).toMatchObject({
      made: 'authority',
      warnings: [expect.stringMatching(/ca\.crt, was made again, because it expired on .*it has the same key/)],
    });
    const future = authorityNow();
    expect(await trusting(future)).toBe('CERT_NOT_YET_VALID');
    expect(inspectCertificate(wrong, nowMs).warnings).toEqual([
      expect.stringMatching(/server\.crt is not valid before/),
      expect.stringMatching(/certificate 2 in .*server\.crt \(CN=Airlock local authority .*is not valid before/),
      expect.stringMatching(/ca\.crt is not valid before .* made again at the next start/),
    ]);
    expect(await at(nowMs)).toMatchObject({
      made: 'authority',
      warnings: [expect.stringMatching(/was made again, because it is not valid before .*it has the same key/)],
    });
    expect(inspectCertificate(wrong, nowMs).warnings).toEqual([]);
    expect([await trusting(trusted), await trusting(authorityNow())]).toEqual([undefined, undefined]);
    const serials = [trusted, future, authorityNow()].map((text) => new X509Certificate(text).serialNumber);
    expect(new Set(serials).size).toBe(3);
    expect((await at(nowMs)).made).toBe('nothing');
  });

  test('is renewed 30 days before it expires, not 31', async () => {
    const expiresMs = Date.parse(new X509Certificate(authorityNow()).validTo);
    const soon = expiresMs - 31 * DAY_MS;
    await at(soon);
    expect((await at(soon)).made).toBe('nothing');
    expect((await at(soon + DAY_MS)).made).toBe('authority');
  });

  test('gets a new key where the old one may not sign for a name, which the warning says', async () => {
    await at(Date.now());
    const before = new X509Certificate(authorityNow());
    const { warnings } = await ensureCertificate({ ...wrong, publicHost: '192.0.2.6' });
    expect(warnings).toEqual([
      expect.stringMatching(/because it is not for 192\.0\.2\.6: clients .* refuse this server/),
    ]);
    expect(new X509Certificate(authorityNow()).publicKey.equals(before.publicKey)).toBe(false);
  });

  test('is taken into the chain of the server, also where a start was cut off between the two', async () => {
    const { publicHost: _host, ...others } = wrong;
    const late = { ...others, publicHost: '192.0.2.6' };
    const chain = readFileSync(join(root, 'wrong', 'server.crt'));
    const key = readFileSync(join(root, 'wrong', 'server.key'));
    await ensureCertificate(late, { nowMs: Date.now() + TEN_YEARS_MS + DAY_MS });
    await ensureCertificate(late);
    writeFileSync(join(root, 'wrong', 'server.crt'), chain);
    writeFileSync(join(root, 'wrong', 'server.key'), key);
    expect(inspectCertificate(late).warnings).toEqual([expect.stringContaining('another authority in its chain')]);
    expect((await ensureCertificate(late)).made).toBe('certificate');
    expect(inspectCertificate(late).warnings).toEqual([]);
  });
});

describe('a configured certificate', () => {
  const given = (tlsCert: string, more: object = {}) =>
    ensureCertificate(config({ tlsCert, tlsKey: file('server.key'), ...more }));

  test('is used unchanged', async () => {
    expect(await given(file('server.crt'))).toMatchObject({
      kind: 'given',
      certFile: file('server.crt'),
      warnings: [],
    });
  });

  test('gets a warning when the file contains only the leaf', async () => {
    const alone = join(root, 'leaf.crt');
    writeFileSync(alone, leaf().toString());
    expect((await given(alone)).warnings).toEqual([expect.stringContaining('holds only the leaf')]);
  });

  test('gets a warning when it is for another name or about to expire', async () => {
    expect((await given(file('server.crt'), { publicHost: 'other.example' })).warnings).toEqual([
      expect.stringContaining('is not for other.example'),
    ]);
    const late = Date.parse(leaf().validTo) - 5 * DAY_MS + 1000;
    const { warnings } = await ensureCertificate(config({ tlsCert: file('server.crt'), tlsKey: file('server.key') }), {
      nowMs: late,
    });
    expect(warnings).toEqual([expect.stringContaining('expires in 4 days')]);
  });

  test('gets a warning for each certificate of its chain', async () => {
    const path = join(root, 'old-issuer.crt');
    const nowMs = Date.now();
    const names = ['live.example.org'];
    const expired = await makeAuthority(names, nowMs - 3_651 * DAY_MS);
    // Signed with the same key: the leaf would do, were its issuer not expired.
    const issuer = await makeAuthority(names, nowMs, expired.privateKey);
    const pair = await makeServerCertificate(issuer, names, nowMs);
    const [own = ''] = pair.certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
    const key = join(root, 'old-issuer.key');
    writeFileSync(key, pair.privateKey);
    writeFileSync(path, own + expired.certificate);
    expect((await given(path, { tlsKey: key })).warnings).toEqual([
      expect.stringMatching(/^certificate 2 in .*old-issuer\.crt \(CN=.*\) expired on .*reject/),
    ]);
    writeFileSync(path, own + (await makeAuthority(names, nowMs)).certificate);
    expect((await given(path, { tlsKey: key })).warnings).toEqual([
      expect.stringMatching(/^certificate 2 in .* is not the issuer of certificate 1: the chain is out of order$/),
    ]);
  });

  test.each([
    ['a missing file', () => join(root, 'none.crt'), /none\.crt cannot be read/],
    ['a file without a certificate', () => file('server.key'), /contains no PEM certificate/],
    ['a key of another certificate', () => file('ca.crt'), /is not the key of/],
  ])('is refused with %s', async (_what, path, message) => {
    await expect(given(path())).rejects.toThrow(CertificateError);
    await expect(given(path())).rejects.toThrow(message);
  });
});

test('the watcher reports a new pair, and a fault for a mismatched one', async () => {
  const paths = { certFile: file('server.crt'), keyFile: file('server.key') };
  const told: (CertificateChange | Error)[] = [];
  let wake: () => void = () => undefined;
  const next = () =>
    new Promise<CertificateChange | Error>((resolve) => {
      wake = () => {
        const first = told.shift();
        if (first !== undefined) resolve(first);
      };
      wake();
    });
  const tell = (what: CertificateChange | Error) => {
    told.push(what);
    wake();
  };
  const watch = watchCertificate(paths, readPair(paths), { use: tell, refuse: tell });
  try {
    const key = read('server.key');
    writeFileSync(paths.keyFile, read('ca.key'));
    expect(await next()).toBeInstanceOf(CertificateError);
    writeFileSync(paths.keyFile, key);
    await ensureCertificate(config({ publicHost: 'next.example' }));
    expect(await next()).toMatchObject({ cert: readFileSync(paths.certFile), key: readFileSync(paths.keyFile) });
  } finally {
    watch.close();
  }
});

test('a pair that changed before it was watched is reported', async () => {
  const paths = { certFile: file('server.crt'), keyFile: file('server.key') };
  const inUse = readPair(paths);
  await ensureCertificate(config({ publicHost: 'earlier.example' }));
  const pair = await new Promise<CertificateChange>((resolve, reject) => {
    const watch = watchCertificate(paths, inUse, {
      use(next) {
        watch.close();
        resolve(next);
      },
      refuse: reject,
    });
  });
  expect(pair.cert.equals(readFileSync(paths.certFile))).toBe(true);
});

inFull('a running server renews its certificate and the watcher reports it', async () => {
  const paths = { certFile: file('server.crt'), keyFile: file('server.key') };
  const before = readFileSync(paths.certFile);
  const changed = new Promise<CertificateChange>((resolve, reject) => {
    const watch = watchCertificate(paths, readPair(paths), {
      use(pair) {
        watch.close();
        resolve(pair);
      },
      refuse: reject,
    });
  });
  const renewal = renewCertificate(async () => {
    await ensureCertificate(config({ publicHost: 'renewed.example' }));
  }, 20);
  const pair = await changed;
  renewal.close();
  expect(pair.cert.equals(before)).toBe(false);
  expect(leaf().checkHost('renewed.example')).toBeDefined();
});

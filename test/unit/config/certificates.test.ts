import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { makeAuthority, makeServerCertificate, type PemPair } from '../../../src/config/certificates/authority.js';
import {
  type CertificateChange,
  renewCertificate,
  watchCertificate,
} from '../../../src/config/certificates/certificate-watch.js';
import { CertificateError, ensureCertificate, readPair } from '../../../src/config/certificates/certificates.js';
import { isConstrained, nameConstraints, permits } from '../../../src/config/certificates/name-constraints.js';

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
  const watch = watchCertificate(paths, readPair(paths), tell, tell);
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
    const watch = watchCertificate(
      paths,
      inUse,
      (next) => {
        watch.close();
        resolve(next);
      },
      reject,
    );
  });
  expect(pair.cert.equals(readFileSync(paths.certFile))).toBe(true);
});

test('a running server renews its certificate and the watcher reports it', async () => {
  const paths = { certFile: file('server.crt'), keyFile: file('server.key') };
  const before = readFileSync(paths.certFile);
  const changed = new Promise<CertificateChange>((resolve, reject) => {
    const watch = watchCertificate(
      paths,
      readPair(paths),
      (pair) => {
        watch.close();
        resolve(pair);
      },
      reject,
    );
  });
  const renewal = renewCertificate(
    () => ensureCertificate(config({ publicHost: 'renewed.example' })),
    () => undefined,
    20,
  );
  const pair = await changed;
  renewal.close();
  expect(pair.cert.equals(before)).toBe(false);
  expect(leaf().checkHost('renewed.example')).toBeDefined();
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/config/folders.js';
import { type ConfigSources, loadConfig, maskedSettings, maskUrl } from '../../../src/config/load.js';
import { mayBeProxied } from '../../../src/config/public-urls.js';
import { type ConfigKey, SETTINGS } from '../../../src/config/settings/schema.js';
import { settingsTable } from '../../support/settings-table.js';

const folder = mkdtempSync(join(tmpdir(), 'airlock-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (env: Record<string, string>, more: Partial<ConfigSources> = {}) =>
  loadConfig({ env, cwd: folder, ...more }).config;

function faults(env: Record<string, string>, more: Partial<ConfigSources> = {}): string {
  try {
    load(env, more);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no fault';
}

test.each([
  [{}, false],
  [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_PUBLIC_HOST: '127.0.0.1', AIRLOCK_HTTP_INSECURE: 'on' }, false],
  [{ AIRLOCK_PUBLIC_HOST: 'live.example.org' }, true],
  [{ AIRLOCK_PUBLIC_HTTP_URL: 'https://live.example.org' }, true],
  [{ AIRLOCK_PUBLIC_RTMPS_URL: 'rtmps://live.example.org/live' }, true],
  [{ AIRLOCK_PUBLIC_HTTP_URL: 'http://[::1]:8080' }, false],
  [{ AIRLOCK_TRUSTED_PROXIES: '127.0.0.1/32' }, true],
])('requests of a server with %j may come through a proxy: %s', (env, expected) => {
  expect(mayBeProxied(load(env))).toBe(expected);
});

describe('defaults', () => {
  test('are those documented for operators', () => {
    expect(load({})).toMatchObject({
      rtmpsPort: 1936,
      httpPort: 8080,
      host: '127.0.0.1',
      publicHost: 'localhost',
      dataDir: join(folder, 'data'),
      certsDir: join(folder, 'certs'),
      tlsSuites: 'modern',
      tlsMax: '1.2',
      https: false,
      httpInsecure: false,
      workers: 1,
      enforce: 'report',
      record: true,
      reconnectGraceS: 60,
      drainS: 30,
      maxConnections: 2000,
      readIntervalMs: 100,
      proxyProtocol: false,
      tlsInFront: false,
      quickstart: true,
      logLevel: 'info',
      requireAppSecretProof: false,
      rateLimitPerToken: 6000,
      rateLimitPerAddress: 12_000,
    });
  });

  test('equal the sample file', () => {
    const sample = join(import.meta.dirname, '../../../docs/airlock.example.json');
    const plain = (config: object) => JSON.parse(JSON.stringify(config));
    expect(plain(load({}, { file: sample }))).toEqual(plain(load({})));
    const keys = Object.keys(JSON.parse(readFileSync(sample, 'utf8'))).filter((key) => !key.startsWith('//'));
    expect(keys.sort()).toEqual(SETTINGS.map((setting) => setting.key as string).sort());
  });

  test.each([
    [{}, true, '127.0.0.1'],
    [{ NODE_ENV: 'production', AIRLOCK_HTTPS: 'on' }, false, '0.0.0.0'],
    [{ NODE_ENV: 'production', AIRLOCK_QUICKSTART: 'on' }, true, '127.0.0.1'],
    [{ NODE_ENV: 'production', AIRLOCK_HOST: '127.0.0.1' }, false, '127.0.0.1'],
    [{ AIRLOCK_HOST: '::1' }, true, '::1'],
    [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_HTTPS: 'on' }, false, '0.0.0.0'],
    [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_HTTPS: 'on', AIRLOCK_QUICKSTART: 'on' }, true, '0.0.0.0'],
    [{ AIRLOCK_QUICKSTART: 'off', AIRLOCK_HTTPS: 'on' }, false, '0.0.0.0'],
  ])('quickstart and host with %j', (env, quickstart, host) => {
    expect(load(env as Record<string, string>)).toMatchObject({ quickstart, host });
  });
});

describe('sources', () => {
  test('flags override the environment, which overrides the file', () => {
    const file = join(folder, 'three.json');
    writeFileSync(
      file,
      JSON.stringify({ rtmpsPort: 1, httpPort: 2, workers: 1, record: false, trustedProxies: ['10.0.0.0/8'] }),
    );
    const config = load(
      { AIRLOCK_CONFIG: file, AIRLOCK_HTTP_PORT: '3', AIRLOCK_RTMPS_PORT: '4' },
      { flags: { rtmpsPort: '5' } },
    );
    expect(config).toMatchObject({ rtmpsPort: 5, httpPort: 3, record: false });
    expect(config.trustedProxies.networks).toEqual(['10.0.0.0/8']);
  });

  test('an empty variable counts as unset', () => {
    expect(load({ AIRLOCK_HTTP_PORT: '' }).httpPort).toBe(8080);
  });

  test('the result is frozen', () => {
    expect(Object.isFrozen(load({}))).toBe(true);
  });

  test('warns about unknown AIRLOCK_ variables, not about those of other programs', () => {
    const { warnings } = loadConfig({ env: { AIRLOCK_RTMP_PROT: '1', AIRLOCK_HTTP_PORT: '0', PATH: 'x' } });
    expect(warnings).toEqual(['AIRLOCK_RTMP_PROT is set but is not a setting']);
  });

  const S3_ELSEWHERE = 's3://media/airlock?endpoint=http://10.0.0.20:9000';
  const KEY = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const LOOPBACK =
    /^other machines cannot reach rtmps:\/\/live\.example\.org:1936\/live\/: the server listens on 127\.0\.0\.1 only/;
  test.each<[string, Record<string, string>, RegExp[]]>([
    ['a public name on loopback', { AIRLOCK_PUBLIC_HOST: 'live.example.org' }, [LOOPBACK]],
    ['a public address on loopback', { AIRLOCK_PUBLIC_RTMPS_URL: 'rtmps://live.example.org:1936' }, [LOOPBACK]],
    [
      'a public name behind a proxy of this machine',
      { AIRLOCK_PUBLIC_HOST: 'live.example.org', AIRLOCK_HOST: '127.0.0.1', AIRLOCK_TRUSTED_PROXIES: '127.0.0.1' },
      [],
    ],
    [
      'a public name in production',
      { AIRLOCK_PUBLIC_HOST: 'live.example.org', NODE_ENV: 'production', AIRLOCK_HTTPS: 'on' },
      [],
    ],
    ['other names of loopback', { AIRLOCK_PUBLIC_HTTP_URL: 'http://[::1]:8080', AIRLOCK_PUBLIC_HOST: '127.0.0.2' }, []],
    [
      'Redis alone',
      { REDIS_URL: 'redis://redis' },
      [/^REDIS_URL without AIRLOCK_BLOB_URL: .* answer 404/, /^REDIS_URL without AIRLOCK_INTERNAL_HTTP_URL/],
    ],
    [
      'Redis with all that servers share',
      {
        REDIS_URL: 'redis://redis',
        AIRLOCK_BLOB_URL: 's3://media',
        AIRLOCK_INTERNAL_HTTP_URL: 'http://10.0.0.11:8080',
      },
      [],
    ],
    [
      'storage without credentials',
      { AIRLOCK_BLOB_URL: S3_ELSEWHERE },
      [/^AIRLOCK_BLOB_URL without AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: /],
    ],
    [
      'storage with half of the credentials',
      { AIRLOCK_BLOB_URL: 's3://media', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: '' },
      [/^AIRLOCK_BLOB_URL without AWS_SECRET_ACCESS_KEY: /],
    ],
    ['storage with credentials', { AIRLOCK_BLOB_URL: S3_ELSEWHERE, ...KEY }, []],
    ['storage with a profile', { AIRLOCK_BLOB_URL: S3_ELSEWHERE, AWS_PROFILE: 'media' }, []],
    ['storage of AWS, where a machine may have a role', { AIRLOCK_BLOB_URL: 's3://media' }, []],
  ])('warnings on %s', (_what, env, expected) => {
    const { warnings } = loadConfig({ env: { AIRLOCK_HOST: '', ...env }, cwd: folder });
    expect(warnings).toEqual(expected.map((text) => expect.stringMatching(text)));
  });
});

describe('values', () => {
  test.each<[string, string, ConfigKey, unknown]>([
    ['AIRLOCK_RTMPS_PORT', '0', 'rtmpsPort', 0],
    ['AIRLOCK_RTMPS_PORT', '65535', 'rtmpsPort', 65_535],
    ['AIRLOCK_RTMP_PORT', 'off', 'rtmpPort', undefined],
    ['AIRLOCK_RTMP_PORT', '1935', 'rtmpPort', 1935],
    ['AIRLOCK_RECORD', 'off', 'record', false],
    ['AIRLOCK_RECORD', 'False', 'record', false],
    ['AIRLOCK_TLS_MAX', '1.3', 'tlsMax', '1.3'],
    ['AIRLOCK_PUBLIC_HOST', '[::1]', 'publicHost', '::1'],
    ['AIRLOCK_DATA_DIR', '/var/lib/airlock', 'dataDir', '/var/lib/airlock'],
    ['REDIS_URL', 'rediss://u:p@h:1/2', 'redisUrl', 'rediss://u:p@h:1/2'],
    [
      'REDIS_URL',
      'redis+sentinel://u:p@h1:26379,h2:26379/main',
      'redisUrl',
      'redis+sentinel://u:p@h1:26379,h2:26379/main',
    ],
    ['FFMPEG_PATH', 'ffmpeg-7', 'ffmpegPath', 'ffmpeg-7'],
    ['AIRLOCK_APP_ID', '4711', 'appId', '4711'],
    ['AIRLOCK_APP_SECRET', 'hush', 'appSecret', 'hush'],
    ['AIRLOCK_RATE_LIMIT_PER_TOKEN', '10', 'rateLimitPerToken', 10],
    ['AIRLOCK_RATE_LIMIT_PER_ADDRESS', '20', 'rateLimitPerAddress', 20],
  ])('%s=%s', (name, value, key, expected) => {
    expect(load({ [name]: value })[key]).toEqual(expected);
  });

  test.each([
    ['1%', '1%', 10],
    ['12.5 %', '12.5%', 125],
    ['90%', '90%', 900],
    ['100MB', '100MB', 100e6],
    ['1.5 GB', '1.5 GB', 1.5e9],
    ['2tb', '2tb', 2e12],
    ['1GiB', '1GiB', 2 ** 30],
  ])('a reserve of %s on a disk of 1,000 bytes', (value, text, bytes) => {
    const config = load({ AIRLOCK_DISK_RESERVE: value });
    expect([config.diskReserve.text, config.diskReserve.bytesOf(1_000)]).toEqual([text, bytes]);
    expect(maskedSettings(config).AIRLOCK_DISK_RESERVE).toBe(text);
  });

  test.each(['0', '0%', '0.5%', '91%', '10', '99MB', '20 GB free', '1e3GB', '-5GB', '5XB', 'constructor'])(
    'refuses a disk reserve of %s',
    (value) => {
      expect(faults({ AIRLOCK_DISK_RESERVE: value })).toContain('AIRLOCK_DISK_RESERVE');
    },
  );

  test('networks match by address family; mapped addresses match as IPv4', () => {
    const { trustedProxies } = load({ AIRLOCK_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fd00::/8' });
    const inside = ['10.255.0.1', '192.0.2.7', '::ffff:10.1.2.3', 'fd12::1'];
    const outside = ['11.0.0.1', '192.0.2.8', '::ffff:11.0.0.1', 'fe80::1', 'nonsense', ''];
    expect(inside.filter((address) => !trustedProxies.includes(address))).toEqual([]);
    expect(outside.filter((address) => trustedProxies.includes(address))).toEqual([]);
  });
});

describe('AIRLOCK_FETCH_NETWORKS', () => {
  const usual = new Set([80, 443]);

  test('names no network by default', () => {
    expect(load({}).fetchNetworks.networks).toEqual([]);
    expect(load({}).fetchNetworks.allows('10.0.0.1', 443, usual)).toBe(false);
  });

  test('holds networks with the usual ports, one port or a range', () => {
    const { fetchNetworks } = load({
      AIRLOCK_FETCH_NETWORKS:
        '10.0.0.0/8, 192.0.2.7:9000, 198.51.100.0/24:8000-8999, fd00::/8, [fe80::1]:8443,[fc00::/16]',
    });
    const inside: [string, number][] = [
      ['10.1.2.3', 80],
      ['10.1.2.3', 443],
      ['::ffff:10.1.2.3', 443],
      ['::ffff:a01:203', 443],
      ['192.0.2.7', 9000],
      ['198.51.100.9', 8000],
      ['198.51.100.9', 8999],
      ['fd12::1', 443],
      ['fe80::1', 8443],
      ['fc00::1', 80],
    ];
    const outside: [string, number][] = [
      ['10.1.2.3', 9000],
      ['192.0.2.7', 443],
      ['192.0.2.8', 9000],
      ['198.51.100.9', 7999],
      ['198.51.100.9', 9000],
      ['fd12::1', 8443],
      ['fe80::1', 443],
      ['::ffff:11.0.0.1', 443],
      ['nonsense', 443],
      ['', 443],
    ];
    const allowed = ([address, port]: [string, number]) => fetchNetworks.allows(address, port, usual);
    expect(inside.filter((each) => !allowed(each))).toEqual([]);
    expect(outside.filter(allowed)).toEqual([]);
  });

  test('is a key of the config file and is shown as it was written', () => {
    const file = join(folder, 'fetch.json');
    writeFileSync(file, JSON.stringify({ fetchNetworks: ['10.0.0.0/8:443', '[fd00::/8]:8443'] }));
    const { config } = loadConfig({ env: {}, file, cwd: folder });
    expect(maskedSettings(config).AIRLOCK_FETCH_NETWORKS).toBe('10.0.0.0/8:443,[fd00::/8]:8443');
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/8:',
    '10.0.0.0/8:0',
    '10.0.0.0/8:65536',
    '10.0.0.0/8:9-8',
    '10.0.0.0/8:80-',
    '10.0.0.0/8:http',
    ':443',
    '[fd00::/8',
    '[fd00::/8]443',
    '[fd00::/8]:',
    'fd00::/8]:443',
    'media.example.org:443',
    '*',
  ])('refuses %s', (value) => {
    expect(faults({ AIRLOCK_FETCH_NETWORKS: `192.0.2.1, ${value}` })).toContain(
      `AIRLOCK_FETCH_NETWORKS "${value}" is not`,
    );
  });
});

describe('faults', () => {
  test('are all reported at once, with their source and without secrets', () => {
    const file = join(folder, 'bad.json');
    writeFileSync(file, JSON.stringify({ maxConnections: 0, color: 'red' }));
    const message = faults(
      {
        AIRLOCK_RTMPS_PORT: '70000',
        AIRLOCK_RECORD: 'maybe',
        AIRLOCK_WORKERS: '4',
        AIRLOCK_KEY_SECRET: 'short-secret',
        AIRLOCK_TRUSTED_PROXIES: '10.0.0.0/33',
        AIRLOCK_TLS_CERT: 'a.pem',
        REDIS_URL: 'http://user:hunter2@host',
      },
      { file, flags: { logLevel: 'loud' } },
    );
    expect(message.split('\n').map((line) => line.trim().split(' ').slice(0, 1)[0])).toEqual(
      [
        '10',
        '"color"',
        'AIRLOCK_RTMPS_PORT',
        'REDIS_URL',
        'AIRLOCK_RECORD',
        '"maxConnections"',
        'AIRLOCK_TRUSTED_PROXIES',
        '--log-level',
        'AIRLOCK_KEY_SECRET',
        'AIRLOCK_WORKERS',
        'AIRLOCK_TLS_KEY',
      ].flatMap((name) => (name === '10' ? ['10'] : [name])),
    );
    expect(message).toContain('AIRLOCK_RTMPS_PORT must be a whole number from 0 to 65535, not "70000"');
    expect(message).not.toMatch(/short-secret|hunter2/);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['several workers on the embedded store', { AIRLOCK_WORKERS: '2' }, /AIRLOCK_WORKERS needs REDIS_URL/],
    [
      'plain HTTP on a public address',
      { AIRLOCK_HOST: '0.0.0.0' },
      /AIRLOCK_HTTPS must be on, because other machines can reach 0\.0\.0\.0/,
    ],
    ['plain HTTP in production', { NODE_ENV: 'production' }, /AIRLOCK_HTTPS must be on/],
    ['a key without a certificate', { AIRLOCK_TLS_KEY: 'k' }, /AIRLOCK_TLS_CERT is missing/],
    ['PROXY headers from nobody', { AIRLOCK_PROXY_PROTOCOL: 'on' }, /needs AIRLOCK_TRUSTED_PROXIES/],
    [
      'the same port for two listeners',
      { AIRLOCK_HTTP_PORT: '1936' },
      /AIRLOCK_HTTP_PORT is the same port as AIRLOCK_RTMPS_PORT/,
    ],
    [
      'TLS in front of an open port',
      { AIRLOCK_TLS_IN_FRONT: 'on', AIRLOCK_HOST: '0.0.0.0', AIRLOCK_HTTPS: 'on' },
      /AIRLOCK_TLS_IN_FRONT needs/,
    ],
    ['proofs without a secret', { AIRLOCK_REQUIRE_APP_SECRET_PROOF: 'on' }, /needs AIRLOCK_APP_SECRET/],
    ['a file that is not JSON', { AIRLOCK_CONFIG: '/dev/null' }, /\/dev\/null cannot be read as JSON/],
    ['a host with a port', { AIRLOCK_PUBLIC_HOST: 'a.example:80' }, /AIRLOCK_PUBLIC_HOST must be a host name/],
  ])('%s', (_what, env, message) => {
    expect(faults(env)).toMatch(message);
  });

  test.each([
    [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_HTTPS: 'on' }],
    [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_HTTP_INSECURE: 'on' }],
    [{ AIRLOCK_HOST: '0.0.0.0', AIRLOCK_TRUSTED_PROXIES: '10.0.0.0/8' }],
    [{ AIRLOCK_WORKERS: '2', REDIS_URL: 'redis://localhost' }],
    [{ AIRLOCK_RTMPS_PORT: '0', AIRLOCK_HTTP_PORT: '0', AIRLOCK_RTMP_PORT: '0' }],
  ])('none with %j', (env) => {
    expect(faults(env as Record<string, string>)).toBe('no fault');
  });
});

describe('masked settings', () => {
  test('masks secrets and passwords and lists every setting', () => {
    const shown = maskedSettings(
      load({
        AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
        REDIS_URL: 'redis://user:hunter2@redis:6379/1',
        AIRLOCK_WEBHOOK_URL: 'https://hooks.example/in?token=abc',
      }),
    );
    expect(Object.keys(shown)).toEqual(SETTINGS.map((setting) => setting.env));
    expect(JSON.stringify(shown)).not.toMatch(/kkkk|hunter2|abc/);
    expect(shown).toMatchObject({ AIRLOCK_RTMP_PORT: 'off', AIRLOCK_RECORD: 'on', AIRLOCK_KEY_SECRET: '***' });
  });

  test.each([
    ['redis://user:hunter2@h:1/2', 'redis://user:***@h:1/2'],
    ['redis+sentinel://:hunter2@h1:1,h2:2/main', 'redis+sentinel://:***@h1:1,h2:2/main'],
    ['https://h/in?token=hunter2&b=hunter2', 'https://h/in?token=***&b=***'],
    ['redis://h:6379', 'redis://h:6379'],
  ])('%s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });

  test('docs/settings.md contains the table generated from the schema (UPDATE_DOCS=1 writes it)', () => {
    const path = join(import.meta.dirname, '../../../docs/settings.md');
    const marked = /(?<=<!-- settings -->\n)[\s\S]*?(?=\n?<!-- \/settings -->)/;
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(marked, () => settingsTable()),
      );
    }
    expect(marked.exec(readFileSync(path, 'utf8'))?.[0]).toBe(settingsTable());
  });
});

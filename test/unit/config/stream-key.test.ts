import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadServerKey } from '../../../src/config/key-secret.js';
import { deriveStreamKey, parsePublishName, verifyStreamSecret } from '../../../src/config/stream-key.js';

const serverKey = Buffer.alloc(32, 7);
const secret = 'abcdefghijklmnopqrstuvwxyz234567';
const key = `123456-${secret}`;

describe('derivation', () => {
  test('is a fixed function of server key, id and version', () => {
    // openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07 over "airlock stream key\n17\n1", first 20 bytes, base32.
    expect(deriveStreamKey(serverKey, '17', 1)).toBe('17-yjdum7fmeaysdsamjdesvwuikxqzrwhe');
    expect(deriveStreamKey(serverKey, '17', 1)).toMatch(/^17-[a-z2-7]{32}$/);
  });

  test('differs by id, by version and by server key', () => {
    const keys = [
      deriveStreamKey(serverKey, '1', 11),
      deriveStreamKey(serverKey, '11', 1),
      deriveStreamKey(serverKey, '1', 1),
      deriveStreamKey(Buffer.alloc(32, 8), '1', 1),
    ].map((text) => text.split('-')[1]);
    expect(new Set(keys).size).toBe(4);
  });

  test('verifies its own secret and rejects similar ones', () => {
    const own = deriveStreamKey(serverKey, '17', 2).slice(3);
    expect(verifyStreamSecret(serverKey, '17', 2, own)).toBe(true);
    const flipped = (own.startsWith('a') ? 'b' : 'a') + own.slice(1);
    for (const wrong of [flipped, own.slice(1), `${own}a`, '', 'é'.repeat(16)]) {
      expect(verifyStreamSecret(serverKey, '17', 2, wrong)).toBe(false);
    }
    expect(verifyStreamSecret(serverKey, '17', 1, own)).toBe(false);
    expect(verifyStreamSecret(serverKey, '18', 2, own)).toBe(false);
  });
});

describe('publish name', () => {
  test.each<[string, string, string, Record<string, string>]>([
    ['plain', key, 'live', {}],
    ['C9 with a query', `${key}?preflight=1&x=a%2Fb`, 'live', { preflight: '1', x: 'a/b' }],
    ['C8 query on the app', key, 'live2?backup=1', { backup: '1' }],
    ['C8 app with a slash, name with one', `/${key}/`, 'v2/pub', {}],
    ['C9 path before the key', `pub/${key}`, 'live', {}],
    ['C11 empty name, key in the app', '', `live/${key}`, {}],
    ['C10 key and query in the app', '', `${key}?preflight=1`, { preflight: '1' }],
    ['splitter that cut inside the query', 'b', `live/${key}?x=a`, { x: 'a' }],
    ['blanks and quotes of a pasted key', ` "${key}" `, 'live', {}],
    ['upper case', key.toUpperCase(), 'live', {}],
  ])('%s', (_what, name, app, params) => {
    const parsed = parsePublishName(name, app);
    expect(parsed).toMatchObject({ id: '123456', secret });
    expect(Object.fromEntries(parsed?.params ?? [])).toEqual(params);
  });

  test.each([
    ['nothing', '', ''],
    ['an id alone', '123456', 'live'],
    ['a short secret', '123456-abc', 'live'],
    ['a letter outside base32', `123456-${secret.replace('a', '1')}`, 'live'],
    ['an id that is too long', `12345678901234567890-${secret}`, 'live'],
    ['a key only in the query', `stream?${key}`, 'live'],
    ['a huge name', `${'x/'.repeat(5000)}${key}`, 'live'],
  ])('finds no key in %s', (_what, name, app) => {
    expect(parsePublishName(name, app)).toBeUndefined();
  });
});

describe('server key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-key-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is created once with mode 0600 and kept', () => {
    const dataDir = join(folder, 'new', 'data');
    const first = loadServerKey({ dataDir, keySecret: undefined });
    expect(first).toHaveLength(32);
    expect(loadServerKey({ dataDir, keySecret: undefined })).toEqual(first);
    expect(statSync(join(dataDir, 'key-secret')).mode & 0o777).toBe(0o600);
  });

  test('comes from the setting when there is one', () => {
    const given = { dataDir: join(folder, 'none'), keySecret: 's'.repeat(32) };
    expect(loadServerKey(given)).toEqual(loadServerKey({ ...given, dataDir: join(folder, 'other') }));
    expect(loadServerKey(given)).not.toEqual(loadServerKey({ ...given, keySecret: 't'.repeat(32) }));
  });

  test('does not replace a damaged file', () => {
    writeFileSync(join(folder, 'key-secret'), 'half');
    expect(() => loadServerKey({ dataDir: folder, keySecret: undefined })).toThrow(/does not contain a server key/);
  });
});

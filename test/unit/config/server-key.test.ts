/** The server key: its strength, its rotation, and what both keys open during the overlap. */

import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditLog } from '../../../src/api/access/audit.js';
import { loadServerKeys, rotateServerKey } from '../../../src/config/key-secret.js';
import { MIN_SECRET_BITS, secretBits } from '../../../src/config/settings/secret-strength.js';
import { streamKeys } from '../../../src/config/stream-key.js';
import { Tickets } from '../../../src/playback/tickets.js';
import { adoptServerKey, checkServerKey, fingerprintOf } from '../../../src/server/services/server-key.js';
import { openStore } from '../../../src/store/open.js';
import { SignedLinks } from '../../../src/vod/files/signed-links.js';
import { handClock, memoryLog, realClock, temporaryFolder } from '../../support/store-harness.js';

describe('a secret', () => {
  test.each([
    's'.repeat(64),
    'abcdefghijklmnopqrstuvwxyz0123456789',
    '0123456789abcdef0123456789abcdef0123456789abcdef',
    'passwordpasswordpassword1234567890',
    'ChangeMeChangeMeChangeMeChangeMe!',
    'airlock-production-server-key-2026',
    'the same on both machines, 32 characters',
    'qwertyuiopasdfghjklzxcvbnm1234567890',
  ])('%s is guessable', (secret) => {
    expect(secretBits(secret)).toBeLessThan(MIN_SECRET_BITS);
  });

  test.each(['hex', 'base64', 'base64url'] as const)('of 32 random bytes in %s is not', (encoding) => {
    for (let round = 0; round < 200; round++) {
      expect(secretBits(randomBytes(32).toString(encoding))).toBeGreaterThan(MIN_SECRET_BITS);
    }
  });
});

describe('the key file', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const config = (name: string) => ({ dataDir: join(folder.path, name), keySecret: undefined });

  test('keeps the previous key with the end of its overlap, and refuses a second rotation within it', () => {
    const first = loadServerKeys(config('a'));
    const rotated = rotateServerKey(config('a'), 1_000, 5_000);
    expect(rotated.previous).toEqual({ key: first.current, untilMs: 5_000 });
    expect(rotated.current).not.toEqual(first.current);
    expect(loadServerKeys(config('a'))).toEqual(rotated);
    expect(statSync(join(config('a').dataDir, 'key-secret')).mode & 0o777).toBe(0o600);
    expect(() => rotateServerKey(config('a'), 4_000, 9_000)).toThrow(/accepted until 1970-01-01T00:00:05/);
    expect(rotateServerKey(config('a'), 5_000, 9_000).previous.key).toEqual(rotated.current);
  });

  test('is refused when it holds a guessable key', () => {
    writeFileSync(join(folder.path, 'key-secret'), `${'ab'.repeat(32)}\n`);
    expect(() => loadServerKeys({ dataDir: folder.path, keySecret: undefined })).toThrow(/can be guessed/);
    expect(readFileSync(join(folder.path, 'key-secret'), 'utf8')).toContain('abab');
  });

  test('is not rotated while the key comes from a setting, which names the previous one too', () => {
    const keySecret = randomBytes(32).toString('hex');
    expect(() => rotateServerKey({ ...config('b'), keySecret }, 1, 2)).toThrow(/AIRLOCK_KEY_SECRET_PREVIOUS/);
    const older = loadServerKeys({ ...config('b'), keySecret }).current;
    const next = { ...config('b'), keySecret: randomBytes(32).toString('hex'), keySecretPrevious: keySecret };
    expect(loadServerKeys(next).previous).toEqual({ key: older, untilMs: Number.POSITIVE_INFINITY });
  });
});

describe('during the overlap, and not after it', () => {
  const [current, older, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const clock = handClock();
  const untilMs = clock.wallMs() + 60_000;
  const previous = { key: older, untilMs };

  test('stream keys, links and tickets of both keys are accepted, and new ones are of the new key', () => {
    const key = (from: Uint8Array) => streamKeys(from).derive('12', 1).split('-')[1] ?? '';
    const keys = streamKeys(current, previous, () => clock.wallMs());
    const links = new SignedLinks(current, clock, previous);
    const tickets = new Tickets(current, previous);
    const opens = (from: Uint8Array): boolean[] => {
      const [path = '', query = ''] = new SignedLinks(from, clock).sign('/files/videos/1/a.mp4').split('?');
      const ticket = new Tickets(from).issue('12', clock.wallMs() + 60_000);
      return [
        keys.matches('12', 1, key(from)),
        links.read(path, new URLSearchParams(query)) !== undefined,
        tickets.opens(ticket, '12', clock.wallMs()),
      ];
    };
    expect(keys.derive('12', 1)).toBe(streamKeys(current).derive('12', 1));
    expect([opens(current), opens(older), opens(foreign)]).toEqual([
      [true, true, true],
      [true, true, true],
      [false, false, false],
    ]);
    clock.advance(60_000);
    expect([opens(current), opens(older)]).toEqual([
      [true, true, true],
      [false, false, false],
    ]);
  });
});

describe('the store', () => {
  test('refuses a server with another key, follows a rotation, and adopts a new key on request', async () => {
    const folder = temporaryFolder();
    const store = await openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });
    try {
      const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const check = (current: Buffer, older?: Buffer) =>
        checkServerKey(
          store.objects,
          realClock,
          older === undefined ? { current } : { current, previous: { key: older, untilMs: 0 } },
        );
      // Two processes of one server start at the same time.
      await Promise.all([check(first), check(first)]);
      await check(first);
      await expect(check(second)).rejects.toMatchObject({
        code: 'SERVER_KEY',
        message: expect.stringContaining(`(${fingerprintOf(first)})`),
      });
      await check(second, first);
      await expect(check(first)).rejects.toThrow(/from before the last rotation/);
      await expect(check(third)).rejects.toThrow(/airlock key adopt/);
      expect(await adoptServerKey(store.objects, realClock, { current: third })).toBe(fingerprintOf(third));
      await check(third);
      const lines = await auditLog({ store, clock: realClock, ids: { next: () => 'never' } });
      expect(lines.map(({ at_ms: _, ...line }) => line)).toEqual([
        { action: 'server key adopted', who: 'command line', target: fingerprintOf(third) },
        { action: 'server key rotated', who: 'server', target: fingerprintOf(second) },
      ]);
    } finally {
      await store.close();
      folder.remove();
    }
  });
});

/** Commands that root runs on the data folder of a service leave files that the service can use. Needs root. */

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';

/** Of the user `nobody`. */
const SERVICE = { uid: 65534, gid: 65534 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-root-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function dataFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, SERVICE.uid, SERVICE.gid);
  return path;
}

function airlock(dataDir: string, user: { uid?: number; gid?: number }, ...args: string[]): SpawnSyncReturns<string> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    AIRLOCK_DATA_DIR: dataDir,
    AIRLOCK_CERTS_DIR: join(dataDir, 'certs'),
    AIRLOCK_RTMPS_PORT: '0',
    AIRLOCK_HTTP_PORT: '0',
  };
  return spawnSync(process.execPath, [MAIN, ...args], { ...user, env, encoding: 'utf8', cwd: folder });
}

function owners(dataDir: string): readonly (readonly [string, number, number])[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { uid, gid } = lstatSync(join(dataDir, name));
    return [name, uid, gid] as const;
  });
}

const foreign = (dataDir: string) =>
  owners(dataDir).filter(([, uid, gid]) => uid !== SERVICE.uid || gid !== SERVICE.gid);

inFull("what root creates with `owner add`, `backup`, `key rotate` and `restore` is the service's", () => {
  const dataDir = dataFolder('data');
  const secret = join(folder, 'of-root');
  mkdirSync(secret, { mode: 0o700 });
  const backup = join(secret, 'airlock.backup');

  expect(airlock(dataDir, {}, 'owner', 'add', 'page', 'Mine')).toMatchObject({ status: 0, stderr: '' });
  expect(airlock(dataDir, {}, 'backup', backup, '--with-keys')).toMatchObject({ status: 0, stderr: '' });
  // The file stays with who asked for it.
  expect(lstatSync(backup)).toMatchObject({ uid: 0, gid: 0 });
  expect(airlock(dataDir, {}, 'key', 'rotate')).toMatchObject({ status: 0, stderr: '' });
  expect(owners(dataDir).map(([name]) => name)).toEqual(expect.arrayContaining(['key-secret', 'store/data.mdb']));
  expect(foreign(dataDir)).toEqual([]);

  const restored = dataFolder('restored');
  expect(airlock(restored, {}, 'restore', backup)).toMatchObject({ status: 0, stderr: '' });
  expect(foreign(restored)).toEqual([]);
  const added = airlock(restored, SERVICE, 'owner', 'add', 'page', 'Another');
  expect(added).toMatchObject({ status: 0, stderr: '' });
});

test('a start that meets files of another user names path, owner and remedy', () => {
  const dataDir = dataFolder('data');
  expect(airlock(dataDir, SERVICE, 'owner', 'add', 'page', 'Mine').status).toBe(0);
  const lock = join(dataDir, 'store', 'lock.mdb');
  chownSync(lock, 0, 0);
  const remedy = `${lock} belongs to root, and this process runs as nobody: sudo chown -R nobody: ${dataDir}`;
  const started = airlock(dataDir, SERVICE, 'serve');
  expect(started.stderr).toContain(`AIRLOCK_DATA_DIR cannot be used: ${remedy}`);
  expect(started.status).toBe(2);
  const copied = airlock(dataDir, SERVICE, 'backup', join(dataDir, 'backup'));
  expect(copied).toMatchObject({ status: 3, stderr: `airlock: the store cannot be opened: ${remedy}\n` });

  chownSync(dataDir, 0, 0);
  const refused = airlock(dataDir, SERVICE, 'serve');
  expect(refused.stderr).toContain(
    `${dataDir} belongs to root, and this process runs as nobody: sudo chown -R nobody:`,
  );
  expect(refused.status).toBe(2);
});

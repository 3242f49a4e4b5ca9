/**
 * The server key that stream keys are derived from: AIRLOCK_KEY_SECRET, else created once and kept in the data folder. After
 * a rotation the file has a second line with the previous key and the end of the overlap.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../lib/errors.js';
import type { PreviousKey } from '../ports/index.js';
import { makeFolder } from './folders.js';
import type { Config } from './settings/schema.js';
import { MIN_SECRET_BITS, secretBits } from './settings/secret-strength.js';

const KEY_BYTES = 32;

export interface ServerKeys {
  /** 32 bytes. */
  readonly current: Buffer;
  readonly previous?: PreviousKey;
}

type KeyConfig = Pick<Config, 'dataDir' | 'keySecret'> & Partial<Pick<Config, 'keySecretPrevious'>>;

/** @throws Error when the file contains something else or cannot be created */
export function loadServerKeys({ dataDir, keySecret, keySecretPrevious }: KeyConfig): ServerKeys {
  if (keySecret !== undefined) {
    const current = hashed(keySecret);
    if (keySecretPrevious === undefined) return { current };
    return { current, previous: { key: hashed(keySecretPrevious), untilMs: Number.POSITIVE_INFINITY } };
  }
  makeFolder(dataDir, 0o700);
  const path = keyPath({ dataDir });
  const keys = readKeys(path) ?? makeKey(path);
  if (keys.previous !== undefined || keySecretPrevious === undefined) return keys;
  // From a setting to a file.
  return { ...keys, previous: { key: hashed(keySecretPrevious), untilMs: Number.POSITIVE_INFINITY } };
}

/** The keys that exist; creates none. @throws Error when the data folder has no key */
export function presentServerKeys(config: KeyConfig): ServerKeys {
  if (config.keySecret === undefined && readKeys(keyPath(config)) === undefined)
    throw new Error(
      `no server key in ${config.dataDir}: start a server there (npx airlock serve), or set AIRLOCK_DATA_DIR`,
    );
  return loadServerKeys(config);
}

export function loadServerKey(config: KeyConfig): Buffer {
  return loadServerKeys(config).current;
}

/** The setting may be any text of 32 characters or more; hashing gives it the length of a key. */
function hashed(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

const keyPath = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'key-secret');

/** Writes a new key, and the present one as the previous. @throws Error during an overlap, or for a key from the environment */
export function rotateServerKey(config: KeyConfig, nowMs: number, untilMs: number): Required<ServerKeys> {
  if (config.keySecret !== undefined) {
    throw new Error(
      'the server key is AIRLOCK_KEY_SECRET: set it to a new secret and AIRLOCK_KEY_SECRET_PREVIOUS to the old one on every server, and remove the old one after the overlap',
    );
  }
  const { current: old, previous } = loadServerKeys(config);
  if (previous !== undefined && previous.untilMs > nowMs) {
    const until = Number.isFinite(previous.untilMs) ? ` until ${new Date(previous.untilMs).toISOString()}` : '';
    throw new Error(`the key was rotated already, and the one before is accepted${until}: rotate again after that`);
  }
  const current = randomBytes(KEY_BYTES);
  const until = new Date(untilMs).toISOString();
  replaceKey(keyPath(config), `${current.toString('hex')}\nprevious ${old.toString('hex')} until ${until}\n`);
  return { current, previous: { key: old, untilMs } };
}

/** Random to others, and the same on every machine: forwards announce it, so that a stream that returns is recognized. */
export function deploymentId(serverKey: Uint8Array): string {
  return createHmac('sha256', serverKey).update('airlock deployment').digest('hex').slice(0, 32);
}

/** Key of the webhook signatures. Derived, so that a receiver which verifies signatures cannot create stream keys. */
export function webhookSecret(serverKey: Uint8Array): string {
  return createHmac('sha256', serverKey).update('airlock webhook').digest('hex');
}

/** The webhook secret as Standard Webhooks writes keys: base64 of the 64 bytes that are the HMAC key, the most it allows. */
export const standardSecret = (secret: string): string => `whsec_${Buffer.from(secret, 'utf8').toString('base64')}`;

/** Writes the key from a backup. @throws Error when the folder has a different key and `replace` is false */
export function restoreServerKey(config: Pick<Config, 'dataDir'>, hex: string, replace: boolean): void {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('the server key of the backup is not 64 hexadecimal digits');
  const path = keyPath(config);
  const present = replace ? undefined : readKeys(path)?.current.toString('hex');
  if (present === hex) return;
  if (present !== undefined) throw new Error(`${path} contains a different server key: use --force to replace it`);
  replaceKey(path, `${hex}\n`);
}

function replaceKey(path: string, content: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

const KEY_FILE = /^([0-9a-f]{64})(?:\nprevious ([0-9a-f]{64}) until (\S+))?$/;

function readKeys(path: string): ServerKeys | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const [, current, previous, until = ''] = KEY_FILE.exec(text) ?? [];
  if (current === undefined) {
    throw new Error(
      `${path} does not contain a server key (64 hexadecimal digits). Restore it from a backup: all stream keys are derived from it.`,
    );
  }
  // Not a key that this program made: those are random.
  if (secretBits(current) < MIN_SECRET_BITS) throw new Error(`${path} contains a key that can be guessed`);
  chmodSync(path, 0o600);
  const key = Buffer.from(current, 'hex');
  if (previous === undefined) return { current: key };
  return { current: key, previous: { key: Buffer.from(previous, 'hex'), untilMs: Date.parse(until) || 0 } };
}

/** Written to a draft and linked into place: two processes that start at once end up with the same key. */
function makeKey(path: string): ServerKeys {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const keys = readKeys(path);
  if (keys === undefined) throw new Error(`${path} was removed while it was created`);
  return keys;
}

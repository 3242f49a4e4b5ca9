/** The server key that stream keys are derived from: AIRLOCK_KEY_SECRET, else created once and kept in the data folder. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { makeFolder } from './folders.js';
import type { Config } from './schema.js';

const KEY_BYTES = 32;

/** 32 bytes. @throws Error when the file contains something else or cannot be created */
export function loadServerKey(config: Pick<Config, 'dataDir' | 'keySecret'>): Buffer {
  // The setting may be any text of 32 characters or more; hashing gives it the length of a key.
  if (config.keySecret !== undefined) return createHash('sha256').update(config.keySecret, 'utf8').digest();
  makeFolder(config.dataDir, 0o700);
  const path = join(config.dataDir, 'key-secret');
  return readKey(path) ?? makeKey(path);
}

/** Key of the webhook signatures. Derived, so that a receiver which verifies signatures cannot create stream keys. */
export function webhookSecret(serverKey: Uint8Array): string {
  return createHmac('sha256', serverKey).update('airlock webhook').digest('hex');
}

/** Writes the key from a backup. @throws Error when the folder has a different key and `replace` is false */
export function restoreServerKey(config: Pick<Config, 'dataDir'>, hex: string, replace: boolean): void {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('the server key of the backup is not 64 hexadecimal digits');
  const path = join(config.dataDir, 'key-secret');
  const present = replace ? undefined : readKey(path)?.toString('hex');
  if (present === hex) return;
  if (present !== undefined) throw new Error(`${path} contains a different server key: use --force to replace it`);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${hex}\n`, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(
      `${path} does not contain a server key (64 hexadecimal digits). Restore it from a backup: all stream keys are derived from it.`,
    );
  }
  chmodSync(path, 0o600);
  return Buffer.from(text, 'hex');
}

/** Written to a draft and linked into place: two processes that start at once end up with the same key. */
function makeKey(path: string): Buffer {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(path);
  if (key === undefined) throw new Error(`${path} was removed while it was created`);
  return key;
}

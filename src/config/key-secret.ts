/** The server key that stream keys are derived from: given by AIRLOCK_KEY_SECRET, else made once and kept in the data folder. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { makeFolder } from './folders.js';
import type { Config } from './schema.js';

const KEY_BYTES = 32;

/** 32 bytes. @throws Error when the file holds something else, or cannot be made */
export function loadServerKey(config: Pick<Config, 'dataDir' | 'keySecret'>): Buffer {
  // Any text of 32 characters or more may be given; hashing brings it to the length of a key.
  if (config.keySecret !== undefined) return createHash('sha256').update(config.keySecret, 'utf8').digest();
  makeFolder(config.dataDir, 0o700);
  const path = join(config.dataDir, 'key-secret');
  return readKey(path) ?? makeKey(path);
}

/** Key of the webhook's signatures: derived, so that who may check them cannot make stream keys. */
export function webhookSecret(serverKey: Uint8Array): string {
  return createHmac('sha256', serverKey).update('airlock webhook').digest('hex');
}

/** Writes the key of a backup. @throws Error when the folder has another one and it is not to be replaced */
export function restoreServerKey(config: Pick<Config, 'dataDir'>, hex: string, replace: boolean): void {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('the server key of the backup is not 64 hexadecimal digits');
  const path = join(config.dataDir, 'key-secret');
  const present = replace ? undefined : readKey(path)?.toString('hex');
  if (present === hex) return;
  if (present !== undefined) throw new Error(`${path} holds another server key: give --force to replace it`);
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
      `${path} does not hold a server key (64 hexadecimal digits). Put it back from a backup: every stream key hangs on it.`,
    );
  }
  chmodSync(path, 0o600);
  return Buffer.from(text, 'hex');
}

/** Made beside and linked into place: of two processes that start at once, both end up with the key of one. */
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
  if (key === undefined) throw new Error(`${path} was removed while it was made`);
  return key;
}

/**
 * Seals secrets before they are stored, so that the store and its backups do not hold them in the clear: with the server key, or a
 * session's token with the value of its cookie, which only the browser has.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Kinds of secret, each with a key of its own. Part of the stored format. */
export type Sealed = 'acme' | 'forward' | 'session';

const keyOf = (serverKey: Uint8Array, what: Sealed): Buffer =>
  Buffer.from(hkdfSync('sha256', serverKey, '', `airlock ${what}`, 32));

export function seal(serverKey: Uint8Array, what: Sealed, value: unknown): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(serverKey, what), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Undefined for what another key sealed: of before a rotation. */
export function unseal(serverKeys: readonly Uint8Array[], what: Sealed, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  for (const serverKey of serverKeys) {
    const open = opened(keyOf(serverKey, what), bytes);
    if (open !== undefined) return JSON.parse(open.toString());
  }
  return undefined;
}

/** Undefined for what another key sealed. */
function opened(key: Buffer, bytes: Buffer): Buffer | undefined {
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
    cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
  } catch {
    return undefined;
  }
}

/** Seals private keys with the server key before they are stored, so that the store and its backups do not hold them in the clear. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (serverKey: Uint8Array): Buffer => Buffer.from(hkdfSync('sha256', serverKey, '', 'airlock acme', 32));

export function seal(serverKey: Uint8Array, value: unknown): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(serverKey), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Undefined for what another key sealed: of before a rotation. */
export function unseal(serverKeys: readonly Uint8Array[], sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  for (const serverKey of serverKeys) {
    const open = opened(keyOf(serverKey), bytes);
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

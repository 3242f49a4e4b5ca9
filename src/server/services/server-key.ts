/**
 * The store knows the fingerprint of the server key. Two servers with different keys on one store would refuse each other's
 * stream keys and links, so one that comes with another key does not start.
 */
import { createHash } from 'node:crypto';
import { type AuditLine, auditWrite } from '../../api/access/audit.js';
import type { ServerKeys } from '../../config/key-secret.js';
import { defined } from '../../lib/objects.js';
import { type Clock, DERIVED_ID, type ObjectStore, retryConflicts, type StoredObject } from '../../ports/index.js';
import { randomBytes, TimeOrderedIds } from '../system/system.js';

/** Not the key, and not usable to find it: the keys have 256 bits. */
interface KeyData {
  readonly fingerprint: string;
  /** Value of the key before it. */
  readonly previous?: string;
}

class ServerKeyError extends Error {
  override readonly name = 'ServerKeyError';
  readonly code = 'SERVER_KEY';
}

export function fingerprintOf(key: Uint8Array): string {
  return createHash('sha256').update('airlock server key fingerprint\n').update(key).digest('hex').slice(0, 16);
}

/** Records the key of a new store, and a rotation. @throws ServerKeyError for another key than the store's */
export async function checkServerKey(objects: ObjectStore, clock: Clock, keys: ServerKeys): Promise<void> {
  const fingerprint = fingerprintOf(keys.current);
  await retryConflicts(async () => {
    const found = await objects.get<KeyData>(DERIVED_ID.serverKey);
    if (found?.data.fingerprint === fingerprint) return;
    const isRotation = keys.previous !== undefined && fingerprintOf(keys.previous.key) === found?.data.fingerprint;
    if (found !== undefined && !isRotation) throw new ServerKeyError(otherKey(fingerprint, found.data));
    const line = { action: 'server key rotated', who: 'server' };
    await record(objects, clock, found, fingerprint, isRotation ? line : undefined);
  });
}

/** Makes this key the store's, when the earlier one is lost. Stream keys and links of the earlier one are refused. */
export async function adoptServerKey(objects: ObjectStore, clock: Clock, keys: ServerKeys): Promise<string> {
  const fingerprint = fingerprintOf(keys.current);
  const line = { action: 'server key adopted', who: 'command line' };
  await retryConflicts(async () =>
    record(objects, clock, await objects.get<KeyData>(DERIVED_ID.serverKey), fingerprint, line),
  );
  return fingerprint;
}

async function record(
  objects: ObjectStore,
  clock: Clock,
  found: StoredObject<KeyData> | undefined,
  fingerprint: string,
  line: Pick<AuditLine, 'action' | 'who'> | undefined,
): Promise<void> {
  const nowMs = clock.wallMs();
  const data: KeyData = { fingerprint, ...defined({ previous: found?.data.fingerprint }) };
  const times = { createdMs: found?.createdMs ?? nowMs, updatedMs: nowMs };
  const object = { id: DERIVED_ID.serverKey, kind: 'setting', ...times, data } as const;
  const ids = new TimeOrderedIds(clock, randomBytes);
  const noted = line === undefined ? [] : [auditWrite({ clock, ids }, { ...line, target: fingerprint })];
  await objects.commit([{ op: 'put', object, expect: found?.version ?? 0 }, ...noted]);
}

function otherKey(own: string, stored: KeyData): string {
  if (own === stored.previous) {
    return `the server key (fingerprint ${own}) is the one from before the last rotation; the store's key is ${stored.fingerprint}. Give this server the new key, and the old one as the previous key`;
  }
  return `the server key (fingerprint ${own}) is not that of the store (${stored.fingerprint}): encoders and links of other servers would be refused. Use the same key-secret file or AIRLOCK_KEY_SECRET on every server. If the key of the store is lost, run npx airlock key adopt`;
}

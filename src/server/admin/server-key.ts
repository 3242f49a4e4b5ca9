/** `airlock key`: rotates the server key of the data folder, or makes a new one the store's. */
import { loadServerKeys, rotateServerKey } from '../../config/key-secret.js';
import type { Config } from '../../config/settings/schema.js';
import { openStore, storeSettings } from '../../store/open.js';
import { adoptServerKey, fingerprintOf } from '../services/server-key.js';
import { createLog } from '../system/log.js';
import { systemClock } from '../system/system.js';

const HOUR_MS = 3_600_000;

export interface Rotation {
  readonly fingerprint: string;
  readonly previous: string;
  /** Until when what was derived from the previous key stays valid. */
  readonly untilMs: number;
}

/** Takes effect at the next start of each server. @throws Error during an overlap, or for a key from the environment */
export function rotate(config: Config, overlapHours: number): Rotation {
  const nowMs = systemClock.wallMs();
  const untilMs = nowMs + overlapHours * HOUR_MS;
  const { current, previous } = rotateServerKey(config, nowMs, untilMs);
  return { fingerprint: fingerprintOf(current), previous: fingerprintOf(previous.key), untilMs };
}

/** Returns the fingerprint. @throws StoreUnavailableError */
export async function adopt(config: Config): Promise<string> {
  const store = await openStore({ ...storeSettings(config), log: createLog({ level: 'silent' }), clock: systemClock });
  try {
    return await adoptServerKey(store.objects, systemClock, loadServerKeys(config));
  } finally {
    await store.close();
  }
}

/** The format of the store in Redis: a key, and a lock so that only one process upgrades. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { needsUpgrade, type UpgradeStep, upgrade } from '../shared/format.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { textOrNothing } from './replies.js';
import { RELEASE } from './scripts/lease.js';

export interface RedisAccess {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
}

export const REDIS_UPGRADES: readonly UpgradeStep<RedisAccess>[] = [
  { what: 'add a format number to the layout of 0.1', run: async () => undefined },
];

export const REDIS_FORMAT = REDIS_UPGRADES.length;

/** Lock duration: how long a process that died during an upgrade blocks the others. */
const LOCK_MS = 60_000;
const LOOK_AGAIN_MS = 200;
/** Longer than the lock: bounds how long a start waits for the upgrade of another process. */
const WAIT_MS = 3 * LOCK_MS;

/** @throws StoreFormatError, StoreUnavailableError */
export async function upgradeRedis(
  access: RedisAccess,
  log: Log,
  steps: readonly UpgradeStep<RedisAccess>[] = REDIS_UPGRADES,
): Promise<void> {
  const where = `Redis at ${access.connection.shown}`;
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    if (!needsUpgrade({ where, found: await readFormat(access) }, steps.length)) return;
    if (await locked(access, () => runSteps(access, where, log, steps))) return;
    if (waitedMs >= WAIT_MS) throw new StoreUnavailableError(`${where} is being upgraded by another process`);
    await sleep(LOOK_AGAIN_MS);
  }
}

async function runSteps(
  access: RedisAccess,
  where: string,
  log: Log,
  steps: readonly UpgradeStep<RedisAccess>[],
): Promise<void> {
  // Read again: another process may have finished between the first read and the lock.
  const found = await readFormat(access);
  await upgrade({ where, found, steps, access, save: (format) => saveFormat(access, format), log });
}

export async function readFormat({ connection, keys }: RedisAccess): Promise<string | undefined> {
  return textOrNothing(await connection.send('GET', keys.format()));
}

export async function saveFormat({ connection, keys }: RedisAccess, format: number | string): Promise<void> {
  await connection.send('SET', keys.format(), format);
}

/** False if another process holds the lock. Steps may run twice, so an expired lock does no harm. */
async function locked({ connection, keys }: RedisAccess, work: () => Promise<void>): Promise<boolean> {
  const key = `${keys.format()}:lock`;
  const holder = randomUUID();
  if ((await connection.send('SET', key, holder, 'NX', 'PX', LOCK_MS)) === null) return false;
  try {
    await work();
  } finally {
    await connection.run(RELEASE, [key], [holder]);
  }
  return true;
}

/** The format of the store in Redis: a key of its own, and a lock so that one of several processes upgrades. */
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
  { what: 'the layout of 0.1 gets a format number', run: async () => undefined },
];

export const REDIS_FORMAT = REDIS_UPGRADES.length;

/** A process that died in the middle of an upgrade holds up the others for so long. */
const LOCK_MS = 60_000;
const LOOK_AGAIN_MS = 200;
/** Longer than a lock lasts: a start that waits for another one's upgrade ends with an error, not never. */
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
  // Read again: another process may have finished between the first look and the lock.
  const found = await readFormat(access);
  await upgrade({ where, found, steps, access, save: (format) => saveFormat(access, format), log });
}

export async function readFormat({ connection, keys }: RedisAccess): Promise<string | undefined> {
  return textOrNothing(await connection.send('GET', keys.format()));
}

export async function saveFormat({ connection, keys }: RedisAccess, format: number | string): Promise<void> {
  await connection.send('SET', keys.format(), format);
}

/** False when another process holds the lock. Steps can be run twice, so that a lock that ran out does no harm. */
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

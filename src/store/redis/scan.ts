/** All keys of this store, a few hundred at a time, from each master. SCAN may return a key twice. */
import type { RedisConnection, Send } from './connection.js';
import type { RedisKeys } from './keys.js';
import { listOf, textOf } from './replies.js';

const KEYS_PER_STEP = 500;

export async function* scanKeys(connection: RedisConnection, keys: RedisKeys): AsyncGenerator<readonly string[]> {
  for (const send of connection.perNode('master')) {
    yield* scanned((cursor) => send('SCAN', cursor, 'MATCH', `${keys.prefix}:*`, 'COUNT', KEYS_PER_STEP));
  }
}

/** The fields and values of a hash. */
export async function* scanHash(send: Send, key: string): AsyncGenerator<readonly (readonly [string, string])[]> {
  for await (const flat of scanned((cursor) => send('HSCAN', key, cursor, 'COUNT', KEYS_PER_STEP))) {
    yield pairsOf(flat);
  }
}

export function pairsOf(flat: readonly unknown[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([textOf(flat[index]), textOf(flat[index + 1])]);
  return pairs;
}

async function* scanned(ask: (cursor: string) => Promise<unknown>): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const reply = listOf(await ask(cursor));
    cursor = textOf(reply[0]);
    const found = listOf(reply[1]).map(textOf);
    if (found.length > 0) yield found;
  } while (cursor !== '0');
}

/** Checks the types of replies. A reply of an unexpected shape is a bug in our commands or scripts: TypeError. */
import type { NodeKind, StoredObject } from '../../ports/index.js';
import type { RedisConnection, Send } from './connection.js';
import type { RedisKeys } from './keys.js';

export function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply;
  if (typeof reply === 'number') return String(reply);
  throw new TypeError(`unexpected reply from Redis: ${typeof reply}`);
}

export function textOrNothing(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : textOf(reply);
}

export function numberOf(reply: unknown): number {
  const value = Number(textOf(reply));
  if (Number.isNaN(value)) throw new TypeError('unexpected reply from Redis: not a number');
  return value;
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError(`unexpected reply from Redis: ${typeof reply} in place of a list`);
}

export function objectOf(id: string, reply: unknown): StoredObject | undefined {
  const text = textOrNothing(reply);
  if (text === undefined) return undefined;
  const match = /^(\d+)\|([a-z_]+)\|(\d+)\|(\d+)\|/.exec(text);
  if (match === null) throw new TypeError(`malformed stored object ${id}`);
  const [head, version, kind, createdMs, updatedMs] = match;
  const data: unknown = JSON.parse(text.slice(head.length));
  return {
    id,
    kind: kind as NodeKind,
    version: Number(version),
    createdMs: Number(createdMs),
    updatedMs: Number(updatedMs),
    data,
  };
}

const KEYS_PER_STEP = 500;

/** All keys of this store, a few hundred at a time, from each master. SCAN may return a key twice. */
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

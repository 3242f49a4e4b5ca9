/** Short-lived values in Redis, which expires them. */
import type { VolatileStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { textOrNothing } from './replies.js';

export class RedisVolatile implements VolatileStore {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;

  constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    const text = JSON.stringify(value ?? null);
    await this.#connection.send('SET', this.#key(requireName(key, 'a key')), text, 'PX', Math.ceil(ttlMs));
  }

  async get(key: string): Promise<unknown> {
    if (!isName(key)) return undefined;
    const text = textOrNothing(await this.#connection.send('GET', this.#key(key)));
    return text === undefined ? undefined : JSON.parse(text);
  }

  #key(key: string): string {
    return `${this.#keys.base(key)}:v`;
  }
}

/** Short-lived values in Redis, which expires them. */
import type { GroupBounds, VolatileStore } from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import type { RedisConnection } from './connection.js';
import type { RedisKeys } from './keys.js';
import { textOrNothing } from './replies.js';
import { GET_IN_GROUP, SET_IN_GROUP } from './scripts/volatile.js';

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

  async setIn(group: string, key: string, value: unknown, { max, ttlMs }: GroupBounds): Promise<void> {
    const base = this.#keys.base(requireName(group, 'a group'));
    const args = [requireName(key, 'a key'), JSON.stringify(value ?? null), Math.ceil(ttlMs), max];
    await this.#connection.run(SET_IN_GROUP, [`${base}:g`, `${base}:gi`], args);
  }

  async getIn(group: string, key: string): Promise<unknown> {
    if (!isName(group) || !isName(key)) return undefined;
    const found = await this.#connection.run(GET_IN_GROUP, [`${this.#keys.base(group)}:g`], [key]);
    const text = textOrNothing(found);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #key(key: string): string {
    return `${this.#keys.base(key)}:v`;
  }
}

/**
 * The rows of a store in Redis. Each object, each error log and each step of a list is consistent in itself; they are read
 * one after the other, so the dump may or may not contain concurrent writes.
 */
import type { Log } from '../../ports/index.js';
import type { LogRow, StoreDump, StoreRow } from '../dump/rows.js';
import { needsUpgrade } from '../shared/format.js';
import { RECORDS_KEPT_MS } from '../shared/record-rules.js';
import { parseRedisUrl } from './address.js';
import { RedisConnection } from './connection.js';
import { REDIS_FORMAT, readFormat } from './format.js';
import { nameOfTag, RedisKeys } from './keys.js';
import { recordOf } from './records.js';
import { listOf, numberOf, objectOf, pairsOf, scanHash, scanKeys, textOrNothing } from './replies.js';
import { DUMP_RECORDS } from './scripts/records.js';

/** Small enough that parsing a reply does not block the event loop for long. */
const ROWS_PER_BATCH = 200;

export class RedisDump implements StoreDump {
  readonly store = 'redis';
  readonly format = REDIS_FORMAT;
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;

  /** @throws RangeError, StoreUnavailableError, StoreFormatError */
  static async open(url: string, log: Log): Promise<RedisDump> {
    const address = parseRedisUrl(url);
    const connection = await RedisConnection.open(address, log);
    const keys = new RedisKeys(address.prefix);
    try {
      // All formats so far have the same rows; the first upgrade step that changes a layout must reject older ones here.
      const found = await readFormat({ connection, keys });
      needsUpgrade({ where: `Redis at ${connection.shown}`, found }, REDIS_FORMAT);
      return new RedisDump(connection, keys);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async *batches(): AsyncGenerator<readonly StoreRow[]> {
    const start = `${this.#keys.prefix}:{`;
    for await (const keys of scanKeys(this.#connection, this.#keys)) {
      for (const key of keys) {
        const end = key.indexOf('}', start.length);
        if (key.startsWith(start) && end > 0) {
          yield* this.#rowsOf(key, nameOfTag(key.slice(start.length, end)), key.slice(end + 1));
        }
      }
    }
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async *#rowsOf(key: string, name: string, kind: string): AsyncGenerator<readonly StoreRow[]> {
    if (kind.startsWith(':m:')) {
      yield* this.#edge(key, name, kind.slice(3));
      return;
    }
    switch (kind) {
      case '': {
        const object = objectOf(name, await this.#connection.send('GET', key));
        if (object !== undefined) yield [{ t: 'object', object }];
        return;
      }
      case ':a': {
        const id = await this.#text(key);
        if (id !== undefined) yield [{ t: 'alias', alias: name, id }];
        return;
      }
      case ':c': {
        const pairs = pairsOf(listOf(await this.#connection.send('HGETALL', key)));
        yield pairs.map(([counter, value]) => ({ t: 'counter', owner: name, counter, value: Number(value) }) as const);
        return;
      }
      case ':fence': {
        const fence = await this.#text(key);
        if (fence !== undefined) yield [{ t: 'fence', key: name, fence: Number(fence) }];
        return;
      }
      case ':v':
        if (!name.startsWith('ping:')) yield await this.#volatile(key, name);
        return;
      case ':g':
        yield* this.#group(key, name);
        return;
      case ':r:h':
        yield* this.#log(key.slice(0, -2), name);
        return;
      default:
        // Leases, locks and derived keys.
        return;
    }
  }

  async *#edge(key: string, owner: string, edge: string): AsyncGenerator<readonly StoreRow[]> {
    const send = this.#connection.send.bind(this.#connection);
    for await (const pairs of scanHash(send, key)) {
      yield pairs.map(([member, text]): StoreRow => {
        const bar = text.indexOf('|');
        if (bar < 0) return { t: 'edge', owner, edge, member, score: Number(text) };
        return {
          t: 'edge',
          owner,
          edge,
          member,
          score: Number(text.slice(0, bar)),
          value: JSON.parse(text.slice(bar + 1)),
        };
      });
    }
  }

  async #volatile(key: string, name: string): Promise<StoreRow[]> {
    const text = await this.#text(key);
    const leftMs = numberOf(await this.#connection.send('PTTL', key));
    if (text === undefined || leftMs <= 0) return [];
    return [{ t: 'volatile', key: name, text, untilMs: Date.now() + leftMs }];
  }

  async *#group(hash: string, group: string): AsyncGenerator<readonly StoreRow[]> {
    const send = this.#connection.send.bind(this.#connection);
    for await (const pairs of scanHash(send, hash)) {
      yield pairs.map(([key, text]): StoreRow => {
        const bar = text.indexOf('|');
        return { t: 'volatile', group, key, text: text.slice(bar + 1), untilMs: Number(text.slice(0, bar)) };
      });
    }
  }

  async *#log(base: string, id: string): AsyncGenerator<readonly StoreRow[]> {
    const reply = listOf(await this.#connection.run(DUMP_RECORDS, [base], []));
    const head = new Map(pairsOf(listOf(reply[0])));
    const number = (field: string): number => Number(head.get(field) ?? 0);
    const endMs = numberOf(reply[3]);
    if (head.size === 0) return;
    const row: LogRow = {
      t: 'log',
      id,
      total: number('total'),
      uncounted: number('uncounted'),
      lastRevision: number('lastRevision'),
      applied: Object.fromEntries(pairsOf(listOf(reply[1])).map(([fence, last]) => [fence, Number(last)])),
      keepUntilMs: number('keepUntilMs'),
      expiresMs: endMs > 0 ? endMs : Date.now() + RECORDS_KEPT_MS,
      deleted: head.has('deleted'),
    };
    yield [row];
    const rows = pairsOf(listOf(reply[2])).sort(([one], [two]) => Number(one) - Number(two));
    for (let at = 0; at < rows.length; at += ROWS_PER_BATCH) {
      yield rows
        .slice(at, at + ROWS_PER_BATCH)
        .map(([sequence, text]) => ({ t: 'record', log: id, record: recordOf(sequence, text) }) as const);
    }
  }

  async #text(key: string): Promise<string | undefined> {
    return textOrNothing(await this.#connection.send('GET', key));
  }
}

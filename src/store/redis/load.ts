/** Writes the rows of a backup into Redis. Meanwhile the format key marks a restore, so that no server opens the store. */
import type { Clock, JournalEntry, Log, Write } from '../../ports/index.js';
import { BackupRefusedError, type LogRow, type StoreLoader, type StoreRow } from '../dump/rows.js';
import { RESTORING } from '../shared/format.js';
import { requireName, requireScore } from '../shared/names.js';
import { isOpen } from '../shared/record-rules.js';
import { parseRedisUrl } from './address.js';
import { groupsOf, stepsOf } from './commit-plan.js';
import { type Argument, RedisConnection } from './connection.js';
import { REDIS_FORMAT, saveFormat } from './format.js';
import { RedisKeys } from './keys.js';
import { RedisRecords } from './records.js';
import { listOf, scanKeys } from './replies.js';
import { COMMIT } from './scripts/commit.js';
import { RESTORE_LOG, RESTORE_RECORDS } from './scripts/records.js';
import { SET_IN_GROUP } from './scripts/volatile.js';

export interface RedisLoaderOptions {
  readonly url: string;
  readonly replace: boolean;
  readonly log: Log;
  readonly clock: Clock;
}

type RecordRow = Extract<StoreRow, { t: 'record' }>;

export class RedisLoader implements StoreLoader {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #clock: Clock;
  #log: LogRow | undefined;

  /** @throws BackupRefusedError, RangeError, StoreUnavailableError */
  static async open({ url, replace, log, clock }: RedisLoaderOptions): Promise<RedisLoader> {
    const address = parseRedisUrl(url);
    const connection = await RedisConnection.open(address, log);
    const keys = new RedisKeys(address.prefix);
    try {
      await requireFree(connection, keys, replace);
      await saveFormat({ connection, keys }, RESTORING);
      if (replace) await clear(connection, keys);
      return new RedisLoader(connection, keys, clock);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(connection: RedisConnection, keys: RedisKeys, clock: Clock) {
    this.#connection = connection;
    this.#keys = keys;
    this.#clock = clock;
  }

  async load(rows: readonly StoreRow[]): Promise<void> {
    // Edges of one owner are written in one call. Records directly follow their log.
    const edges: Write[] = [];
    const rest: Promise<unknown>[] = [];
    let records: RecordRow[] = [];
    for (const row of rows) {
      if (row.t === 'edge') edges.push({ op: 'edgeAdd', ...row });
      else if (row.t === 'record') records.push(row);
      else if (row.t === 'log') {
        await this.#putRecords(records);
        records = [];
        await this.#putLog(row);
      } else rest.push(this.#put(row));
    }
    await this.#putRecords(records);
    for (const group of groupsOf(stepsOf(edges, this.#keys))) {
      const steps = group.flatMap((step) => step.fields);
      rest.push(
        this.#connection.run(
          COMMIT,
          group.map((step) => step.key),
          ['plain', '', 0, ...steps],
        ),
      );
    }
    await Promise.all(rest);
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    await new RedisRecords(this.#connection, this.#keys).append(entries);
  }

  async finish(): Promise<void> {
    await saveFormat({ connection: this.#connection, keys: this.#keys }, REDIS_FORMAT);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #put(row: Exclude<StoreRow, { t: 'edge' | 'record' | 'log' }>): Promise<void> {
    const send = this.#connection.send.bind(this.#connection);
    const base = (name: string, what: string): string => this.#keys.base(requireName(name, what));
    switch (row.t) {
      case 'object': {
        const { id, version, kind, createdMs, updatedMs, data } = row.object;
        const text = `${version}|${kind}|${createdMs}|${updatedMs}|${JSON.stringify(data ?? null)}`;
        await send('SET', base(id, 'an id'), text);
        return;
      }
      case 'alias':
        await send('SET', `${base(row.alias, 'an alias')}:a`, requireName(row.id, 'an id'));
        return;
      case 'counter':
        await send('HSET', `${base(row.owner, 'an owner')}:c`, requireName(row.counter, 'a counter'), row.value);
        return;
      case 'fence':
        await send('SET', `${base(row.key, 'a lease')}:fence`, requireScore(row.fence, 'a fence'));
        return;
      case 'volatile': {
        const leftMs = Math.ceil(row.untilMs - this.#clock.wallMs());
        if (leftMs <= 0) return;
        if (row.group === undefined) {
          await send('SET', `${base(row.key, 'a key')}:v`, row.text, 'PX', leftMs);
          return;
        }
        const group = base(row.group, 'a group');
        const args = [requireName(row.key, 'a key'), row.text, leftMs, Number.MAX_SAFE_INTEGER];
        await this.#connection.run(SET_IN_GROUP, [`${group}:g`, `${group}:gi`], args);
        return;
      }
      default:
        throw new RangeError(`unknown row ${JSON.stringify(row satisfies never)}`);
    }
  }

  async #putLog(row: LogRow): Promise<void> {
    const { id, total, uncounted, lastRevision, keepUntilMs, expiresMs, deleted, applied } = row;
    const head: Argument[] = ['total', total, 'uncounted', uncounted, 'lastRevision', lastRevision];
    if (keepUntilMs > 0) head.push('keepUntilMs', keepUntilMs);
    if (deleted) head.push('deleted', 1);
    const args = [expiresMs, ...head, '|', ...Object.entries(applied).flat()];
    await this.#connection.run(RESTORE_LOG, [`${this.#keys.base(requireName(id, 'a broadcast id'))}:r`], args);
    this.#log = row;
  }

  async #putRecords(rows: readonly RecordRow[]): Promise<void> {
    if (rows.length === 0) return;
    const log = this.#log;
    const args: Argument[] = [log?.expiresMs ?? 0];
    for (const { log: id, record } of rows) {
      if (log === undefined || id !== log.id) throw new RangeError(`a record of ${id} does not follow its log`);
      const { sequence, revision, ...body } = record;
      args.push(sequence, revision, body.severity, body.timestampMs, Number(isOpen(body)), body.id);
      args.push(JSON.stringify(body));
    }
    await this.#connection.run(RESTORE_RECORDS, [`${this.#keys.base(log?.id ?? '')}:r`], args);
  }
}

/** @throws BackupRefusedError if a server uses the store, or if it is not empty and `replace` is false */
async function requireFree(connection: RedisConnection, keys: RedisKeys, replace: boolean): Promise<void> {
  const where = `Redis at ${connection.shown}`;
  for (const send of connection.perNode('all')) {
    if (listOf(await send('PUBSUB', 'CHANNELS', keys.channel('*'))).length > 0) {
      throw new BackupRefusedError(`a server uses ${where}: stop all servers before the restore`);
    }
  }
  if (replace) return;
  for await (const found of scanKeys(connection, keys)) {
    if (found.some((key) => key !== keys.format() && !key.startsWith(`${keys.prefix}:{ping:`))) {
      throw new BackupRefusedError(`${where} already holds a store: restore into an empty one or pass --force`);
    }
  }
}

async function clear(connection: RedisConnection, keys: RedisKeys): Promise<void> {
  for await (const found of scanKeys(connection, keys)) {
    await Promise.all(found.filter((key) => key !== keys.format()).map((key) => connection.send('UNLINK', key)));
  }
}

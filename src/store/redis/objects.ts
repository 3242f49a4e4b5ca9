/** Objects, aliases and commits in Redis. */
import { randomUUID } from 'node:crypto';
import {
  type BatchRead,
  type BatchResult,
  ConflictError,
  type EdgeEntry,
  type EdgeName,
  type EdgePage,
  type ObjectStore,
  type PageQuery,
  type StoredObject,
  StoreUnavailableError,
  type Write,
} from '../../ports/index.js';
import { isName } from '../shared/names.js';
import { readBatch, readKnown } from './batch-read.js';
import { groupsOf, type Step, stepsOf } from './commit-plan.js';
import type { RedisConnection } from './connection.js';
import { RedisEdges } from './edges.js';
import type { Intents } from './intents.js';
import type { RedisKeys } from './keys.js';
import { KnownReads } from './known-reads.js';
import { listOf, objectOf, textOf, textOrNothing } from './replies.js';
import { COMMIT, UNLOCK } from './scripts/commit.js';

const LOCK_MS = 10_000;
/** About half a second, with random waits of up to 40 ms. */
const BUSY_TRIES = 25;

export class RedisObjects implements ObjectStore {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #intents: Intents;
  readonly #edges: RedisEdges;
  readonly #known: KnownReads;
  readonly readBatch: ((wanted: BatchRead) => Promise<BatchResult>) | undefined;

  constructor(connection: RedisConnection, keys: RedisKeys, intents: Intents) {
    this.#connection = connection;
    this.#keys = keys;
    this.#intents = intents;
    this.#edges = new RedisEdges(connection, keys);
    this.#known = new KnownReads((known) => readKnown(connection, keys, known));
    this.readBatch = connection.isCluster ? undefined : (wanted) => this.#readBatch(wanted);
  }

  async #readBatch(wanted: BatchRead): Promise<BatchResult> {
    const again = this.#known.read(wanted);
    if (again !== undefined) return again;
    const result = await readBatch(this.#connection, this.#keys, wanted);
    this.#known.note(wanted, result);
    return result;
  }

  async get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined> {
    if (!isName(id)) return undefined;
    return objectOf(id, await this.#connection.send('GET', this.#keys.base(id))) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    if (this.#connection.isCluster) return Promise.all(ids.map((id) => this.get(id)));
    const named = [...new Set(ids)].filter(isName);
    if (named.length === 0) return ids.map(() => undefined);
    const reply = listOf(await this.#connection.send('MGET', ...named.map((id) => this.#keys.base(id))));
    const found = new Map(named.map((id, index) => [id, objectOf(id, reply[index])]));
    return ids.map((id) => found.get(id));
  }

  async resolveAlias(alias: string): Promise<string | undefined> {
    if (!isName(alias)) return undefined;
    return textOrNothing(await this.#connection.send('GET', `${this.#keys.base(alias)}:a`));
  }

  async page(edge: EdgeName, query: PageQuery): Promise<EdgePage> {
    return this.#edges.page(edge, query);
  }

  /** Sends all requests before it awaits the first reply. */
  async pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    return Promise.all(requests.map((request) => this.#edges.page(request.name, request.query)));
  }

  async edgeSize(edge: EdgeName): Promise<number> {
    return this.#edges.size(edge);
  }

  async edgeEntry(edge: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    return this.#edges.entry(edge, member);
  }

  async counters(owner: string, names: readonly string[]): Promise<number[]> {
    return this.#edges.counters(owner, names);
  }

  /** @throws ConflictError, StoreUnavailableError, RangeError */
  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    const steps = stepsOf(writes, this.#keys);
    if (!this.#connection.isCluster) {
      settle(await this.#run('plain', '', steps));
      return;
    }
    const groups = groupsOf(steps);
    if (groups.length === 1) await this.#untilFree(() => this.#run('guarded', '', steps));
    else await this.#commitOver(groups);
  }

  /** Completes partial commits of dead processes. */
  async replay(txid: string, groups: readonly (readonly Step[])[]): Promise<void> {
    for (const group of groups) await this.#untilFree(() => this.#run('apply', txid, group));
  }

  async #commitOver(groups: readonly (readonly Step[])[]): Promise<void> {
    const txid = randomUUID();
    const conditional = groups.filter((group) => group.some((step) => step.conditional));
    await this.#prepare(txid, conditional);
    await this.#intents.write(txid, groups);
    await this.replay(txid, groups);
    await this.#intents.remove(txid);
  }

  /** Locks all tags with conditions, or none. */
  async #prepare(txid: string, groups: readonly (readonly Step[])[]): Promise<void> {
    try {
      await this.#untilFree(async () => {
        const outcomes = await Promise.all(groups.map((group) => this.#run('prepare', txid, group)));
        const refused =
          outcomes.find((outcome) => outcome.kind === 'conflict') ??
          outcomes.find((outcome) => outcome.kind === 'busy');
        if (refused === undefined) return { kind: 'ok' };
        // No commit waits while it holds a lock, so deadlocks are impossible.
        await this.#unlock(txid, groups);
        return refused;
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError) await this.#unlock(txid, groups).catch(() => undefined);
      throw error;
    }
  }

  async #unlock(txid: string, groups: readonly (readonly Step[])[]): Promise<void> {
    await Promise.all(
      groups.map((group) =>
        this.#connection.run(
          UNLOCK,
          group.slice(0, 1).map((step) => step.key),
          [txid],
        ),
      ),
    );
  }

  /** @throws ConflictError */
  async #untilFree(attempt: () => Promise<Outcome>): Promise<void> {
    for (let tries = 0; tries < BUSY_TRIES; tries += 1) {
      const outcome = await attempt();
      if (outcome.kind !== 'busy') return settle(outcome);
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 35));
    }
    throw new StoreUnavailableError('another commit holds a lock that this one needs');
  }

  async #run(mode: string, txid: string, steps: readonly Step[]): Promise<Outcome> {
    const reply = listOf(
      await this.#connection.run(
        COMMIT,
        steps.map((step) => step.key),
        [mode, txid, LOCK_MS, ...steps.flatMap((step) => step.fields)],
      ),
    );
    const kind = textOf(reply[0]);
    if (kind === 'CONFLICT') return { kind: 'conflict', id: textOf(reply[1]) };
    return kind === 'BUSY' ? { kind: 'busy' } : { kind: 'ok' };
  }
}

type Outcome = { readonly kind: 'ok' } | { readonly kind: 'busy' } | { readonly kind: 'conflict'; readonly id: string };

function settle(outcome: Outcome): void {
  if (outcome.kind === 'conflict') throw new ConflictError(outcome.id);
}

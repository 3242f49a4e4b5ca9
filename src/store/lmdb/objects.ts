/** Objects, aliases, and the transaction over them and their edges. */
import {
  ConflictError,
  type EdgeEntry,
  type EdgeName,
  type EdgePage,
  type ObjectStore,
  type PageQuery,
  type StoredObject,
  type Write,
} from '../../ports/index.js';
import { isName, requireName } from '../shared/names.js';
import type { LmdbEdges } from './edges.js';
import { name } from './keys.js';
import type { Sweeper } from './sweeper.js';
import type { Table, Tables } from './tables.js';

export class LmdbObjects implements ObjectStore {
  readonly #tables: Tables;
  readonly #objects: Table<StoredObject>;
  readonly #aliases: Table<string>;
  readonly #edges: LmdbEdges;
  readonly #sweeper: Sweeper;

  constructor(tables: Tables, edges: LmdbEdges, sweeper: Sweeper) {
    this.#tables = tables;
    this.#objects = tables.table<StoredObject>('objects');
    this.#aliases = tables.table<string>('aliases');
    this.#edges = edges;
    this.#sweeper = sweeper;
  }

  async get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined> {
    return this.#get(id) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    return ids.map((id) => this.#get(id));
  }

  async page(edge: EdgeName, query: PageQuery): Promise<EdgePage> {
    return this.#edges.page(edge, query);
  }

  async pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    return requests.map((request) => this.#edges.page(request.name, request.query));
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

  async resolveAlias(alias: string): Promise<string | undefined> {
    return isName(alias) ? this.#aliases.get(name(alias)) : undefined;
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    await this.#tables.write(() => {
      for (const write of writes) this.#apply(write);
    });
    this.#sweeper.wake();
  }

  #get(id: string): StoredObject | undefined {
    return isName(id) ? this.#objects.get(name(id)) : undefined;
  }

  #apply(write: Write): void {
    switch (write.op) {
      case 'put': {
        const { object } = write;
        const version = this.#expect(requireName(object.id, 'an id'), write.expect);
        const { id, kind, createdMs, updatedMs, data } = object;
        this.#objects.put(name(id), { id, kind, version: version + 1, createdMs, updatedMs, data });
        return;
      }
      case 'delete':
        this.#expect(requireName(write.id, 'an id'), write.expect);
        this.#objects.remove(name(write.id));
        this.#edges.drop(write.id);
        return;
      case 'edgeAdd':
        this.#edges.add(write, write);
        return;
      case 'edgeRemove':
        this.#edges.remove(write, write.member);
        return;
      case 'count':
        this.#edges.count(write.owner, write.counter, write.by);
        return;
      case 'alias':
        this.#alias(requireName(write.alias, 'an alias'), write.id);
        return;
      default:
        throw new RangeError(`unknown write ${JSON.stringify(write satisfies never)}`);
    }
  }

  /** The version that stands, 0 for none. @throws ConflictError */
  #expect(id: string, expected: number | undefined): number {
    const version = this.#objects.get(name(id))?.version ?? 0;
    if (expected !== undefined && expected !== version) throw new ConflictError(id);
    return version;
  }

  #alias(alias: string, id: string | null): void {
    const key = name(alias);
    const taken = this.#aliases.get(key);
    if (id === null) this.#aliases.remove(key);
    else if (taken === undefined) this.#aliases.put(key, requireName(id, 'an id'));
    else if (taken !== id) throw new ConflictError(alias);
  }
}

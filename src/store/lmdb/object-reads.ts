/** Reads of objects, aliases and edges, for the writing process and for read-only ones. */
import type { EdgeEntry, EdgeName, EdgePage, ObjectStore, PageQuery, StoredObject } from '../../ports/index.js';
import { isName } from '../shared/names.js';
import type { LmdbEdges } from './edges.js';
import { name } from './keys.js';
import type { Table, Tables } from './tables.js';

export class LmdbObjectReads implements Omit<ObjectStore, 'commit'> {
  protected readonly tables: Tables;
  protected readonly objects: Table<StoredObject>;
  protected readonly aliases: Table<string>;
  protected readonly edges: LmdbEdges;

  constructor(tables: Tables, edges: LmdbEdges) {
    this.tables = tables;
    this.objects = tables.table<StoredObject>('objects');
    this.aliases = tables.table<string>('aliases');
    this.edges = edges;
  }

  async get<Data = unknown>(id: string): Promise<StoredObject<Data> | undefined> {
    this.tables.refresh();
    return this.#get(id) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    this.tables.refresh();
    return ids.map((id) => this.#get(id));
  }

  async page(edge: EdgeName, query: PageQuery): Promise<EdgePage> {
    this.tables.refresh();
    return this.edges.page(edge, query);
  }

  async pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    this.tables.refresh();
    return requests.map((request) => this.edges.page(request.name, request.query));
  }

  async edgeSize(edge: EdgeName): Promise<number> {
    this.tables.refresh();
    return this.edges.size(edge);
  }

  async edgeEntry(edge: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    this.tables.refresh();
    return this.edges.entry(edge, member);
  }

  async counters(owner: string, names: readonly string[]): Promise<number[]> {
    this.tables.refresh();
    return this.edges.counters(owner, names);
  }

  async resolveAlias(alias: string): Promise<string | undefined> {
    this.tables.refresh();
    return isName(alias) ? this.aliases.get(name(alias)) : undefined;
  }

  #get(id: string): StoredObject | undefined {
    return isName(id) ? this.objects.get(name(id)) : undefined;
  }
}

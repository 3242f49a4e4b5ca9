/** Objects, edges, counters and unique names in memory. All writes of a commit are checked before the first is applied. */
import {
  ConflictError,
  type EdgeEntry,
  type EdgeName,
  type EdgePage,
  type ObjectStore,
  type PageQuery,
  type StoredObject,
  type Write,
} from '../../../src/ports/index.js';
import { type Bound, pageOf, planPage, probeFrom, type Walk } from '../../../src/store/shared/edge-range.js';
import { requireName, requireScore } from '../../../src/store/shared/names.js';

export interface ObjectData {
  readonly objects: Map<string, StoredObject>;
  readonly aliases: Map<string, string>;
  /** Edges and counters, by owner, then by name. */
  readonly edges: Map<string, Map<string, Map<string, EdgeEntry>>>;
  readonly counters: Map<string, Map<string, number>>;
}

export const noObjects = (): ObjectData => ({
  objects: new Map(),
  aliases: new Map(),
  edges: new Map(),
  counters: new Map(),
});

export class MemoryObjects implements ObjectStore {
  readonly #data: ObjectData;

  constructor(data: ObjectData) {
    this.#data = data;
  }

  async get<Data>(id: string): Promise<StoredObject<Data> | undefined> {
    // The caller names the type of what it has put.
    return this.#data.objects.get(id) as StoredObject<Data> | undefined;
  }

  async getMany(ids: readonly string[]): Promise<(StoredObject | undefined)[]> {
    return ids.map((id) => this.#data.objects.get(id));
  }

  async resolveAlias(alias: string): Promise<string | undefined> {
    return this.#data.aliases.get(alias);
  }

  async commit(writes: readonly Write[]): Promise<void> {
    for (const write of writes) check(this.#data, write);
    for (const write of writes) apply(this.#data, write);
  }

  async page(name: EdgeName, query: PageQuery): Promise<EdgePage> {
    const plan = planPage(query);
    const entries = this.#entries(name);
    const walked = walk(entries, plan.walk);
    return pageOf(plan, walked, walk(entries, probeFrom(plan, walked[0])).length > 0);
  }

  pages(requests: readonly { readonly name: EdgeName; readonly query: PageQuery }[]): Promise<EdgePage[]> {
    return Promise.all(requests.map(({ name, query }) => this.page(name, query)));
  }

  async edgeSize(name: EdgeName): Promise<number> {
    return this.#entries(name).length;
  }

  async edgeEntry({ owner, edge }: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    return this.#data.edges.get(owner)?.get(edge)?.get(member);
  }

  async counters(owner: string, names: readonly string[]): Promise<number[]> {
    return names.map((name) => this.#data.counters.get(owner)?.get(name) ?? 0);
  }

  #entries({ owner, edge }: EdgeName): EdgeEntry[] {
    return [...(this.#data.edges.get(owner)?.get(edge)?.values() ?? [])];
  }
}

/** @throws ConflictError, RangeError */
function check(data: ObjectData, write: Write): void {
  switch (write.op) {
    case 'put':
      checkVersion(data, write.object.id, write.expect);
      return;
    case 'delete':
      checkVersion(data, write.id, write.expect);
      return;
    case 'edgeAdd':
      requireName(write.owner, 'an owner');
      requireName(write.member, 'a member');
      requireScore(write.score, 'a score');
      return;
    case 'alias': {
      const taken = data.aliases.get(requireName(write.alias, 'an alias'));
      if (write.id !== null && taken !== undefined && taken !== write.id) throw new ConflictError(write.alias);
    }
  }
}

function checkVersion({ objects }: ObjectData, id: string, expect: number | undefined): void {
  const version = objects.get(requireName(id, 'an id'))?.version ?? 0;
  if (expect !== undefined && expect !== version) throw new ConflictError(id);
}

function apply(data: ObjectData, write: Write): void {
  switch (write.op) {
    case 'put': {
      const { id } = write.object;
      data.objects.set(id, { ...write.object, version: (data.objects.get(id)?.version ?? 0) + 1 });
      return;
    }
    case 'delete':
      data.objects.delete(write.id);
      data.edges.delete(write.id);
      data.counters.delete(write.id);
      return;
    case 'edgeAdd': {
      const { op, owner, edge, ...entry } = write;
      entryMap(data, owner, edge).set(entry.member, entry);
      return;
    }
    case 'edgeRemove':
      entryMap(data, write.owner, write.edge).delete(write.member);
      return;
    case 'count': {
      const counters = data.counters.get(write.owner) ?? new Map<string, number>();
      data.counters.set(write.owner, counters.set(write.counter, (counters.get(write.counter) ?? 0) + write.by));
      return;
    }
    case 'alias':
      if (write.id === null) data.aliases.delete(write.alias);
      else data.aliases.set(write.alias, write.id);
  }
}

function entryMap(data: ObjectData, owner: string, edge: string): Map<string, EdgeEntry> {
  const edges = data.edges.get(owner) ?? new Map<string, Map<string, EdgeEntry>>();
  const entries = edges.get(edge) ?? new Map<string, EdgeEntry>();
  data.edges.set(owner, edges.set(edge, entries));
  return entries;
}

function walk(entries: readonly EdgeEntry[], { low, high, ascending, offset, limit }: Walk): EdgeEntry[] {
  const above = (entry: EdgeEntry) => order(entry, low) > 0 || (low.inclusive && order(entry, low) === 0);
  const below = (entry: EdgeEntry) => order(entry, high) < 0 || (high.inclusive && order(entry, high) === 0);
  const sorted = entries.filter((entry) => above(entry) && below(entry)).sort(order);
  return (ascending ? sorted : sorted.reverse()).slice(offset, offset + limit);
}

function order(left: EdgeEntry | Bound, right: EdgeEntry | Bound): number {
  return left.score - right.score || Buffer.compare(Buffer.from(left.member), Buffer.from(right.member));
}

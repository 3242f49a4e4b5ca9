/** The transaction over objects, aliases and their edges. */
import { ConflictError, type ObjectStore, type Write } from '../../ports/index.js';
import { requireName } from '../shared/names.js';
import type { LmdbEdges } from './edges.js';
import { name } from './keys.js';
import { LmdbObjectReads } from './object-reads.js';
import type { Sweeper } from './sweeper.js';
import type { Tables } from './tables.js';

export class LmdbObjects extends LmdbObjectReads implements ObjectStore {
  readonly #sweeper: Sweeper;

  constructor(tables: Tables, edges: LmdbEdges, sweeper: Sweeper) {
    super(tables, edges);
    this.#sweeper = sweeper;
  }

  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    await this.tables.write(() => {
      for (const write of writes) this.#apply(write);
    });
    this.#sweeper.wake();
  }

  #apply(write: Write): void {
    switch (write.op) {
      case 'put': {
        const { object } = write;
        const version = this.#expect(requireName(object.id, 'an id'), write.expect);
        const { id, kind, createdMs, updatedMs, data } = object;
        this.objects.put(name(id), { id, kind, version: version + 1, createdMs, updatedMs, data });
        return;
      }
      case 'delete':
        this.#expect(requireName(write.id, 'an id'), write.expect);
        this.objects.remove(name(write.id));
        this.edges.drop(write.id);
        return;
      case 'edgeAdd':
        this.edges.add(write, write);
        return;
      case 'edgeRemove':
        this.edges.remove(write, write.member);
        return;
      case 'count':
        this.edges.count(write.owner, write.counter, write.by);
        return;
      case 'alias':
        this.#alias(requireName(write.alias, 'an alias'), write.id);
        return;
      default:
        throw new RangeError(`unknown write ${JSON.stringify(write satisfies never)}`);
    }
  }

  /** The current version, 0 if there is none. @throws ConflictError */
  #expect(id: string, expected: number | undefined): number {
    const version = this.objects.get(name(id))?.version ?? 0;
    if (expected !== undefined && expected !== version) throw new ConflictError(id);
    return version;
  }

  #alias(alias: string, id: string | null): void {
    const key = name(alias);
    const taken = this.aliases.get(key);
    if (id === null) this.aliases.remove(key);
    else if (taken === undefined) this.aliases.put(key, requireName(id, 'an id'));
    else if (taken !== id) throw new ConflictError(alias);
  }
}

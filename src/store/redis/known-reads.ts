/**
 * Results of batch reads. Clients read the same object again and again, and the objects that follow from it seldom change: once
 * they are known, they are read by key, which costs Redis an eighth of the script that finds them. Every value is read anew. What
 * follows since then is missing in the result, and is read when it is needed.
 */
import type { BatchRead, BatchResult, EdgeEntry, StoredObject } from '../../ports/index.js';

/** Objects by id, and the entry of one member in an edge of each owner. */
export interface KnownKeys {
  readonly ids: readonly string[];
  readonly owners: readonly string[];
  readonly edge: string;
  readonly member: string;
}

/** In the order of the keys. */
export interface KnownValues {
  readonly objects: readonly (StoredObject | undefined)[];
  readonly entries: readonly (EdgeEntry | undefined)[];
}

interface Found {
  /** Fields of the plan that lead to further objects. */
  readonly follow: BatchRead['follow'];
  readonly ids: readonly string[];
  readonly owners: readonly string[];
}

const KNOWN_MAX = 10_000;
/** For more, the script costs little more. */
const IDS_MAX = 4;
const NOTHING = { aliases: [], pages: [], sizes: [], counters: [], recordCounts: [] };

export class KnownReads {
  readonly #read: (keys: KnownKeys) => Promise<KnownValues>;
  readonly #found = new Map<string, Found>();

  /** `read`: in one round trip. */
  constructor(read: (keys: KnownKeys) => Promise<KnownValues>) {
    this.#read = read;
  }

  /** `undefined`: what belongs to the read is not known. @throws whatever `read` throws */
  read(wanted: BatchRead): Promise<BatchResult> | undefined {
    const id = onlyObject(wanted);
    const found = id === undefined ? undefined : this.#found.get(id);
    return found === undefined || found.follow !== wanted.follow ? undefined : this.#readAgain(found, wanted.entry);
  }

  /** Keeps what the script found for `wanted`. */
  note(wanted: BatchRead, { objects, entries }: BatchResult): void {
    const id = onlyObject(wanted);
    if (id === undefined || objects.length === 0 || objects.length > IDS_MAX) return;
    const owned = new Set<string>();
    for (const [each, object] of objects) {
      if (object === undefined) return;
      if (belongsToOwner(object)) owned.add(each);
    }
    if (this.#found.size >= KNOWN_MAX) this.#found.clear();
    this.#found.set(id, {
      follow: wanted.follow,
      ids: objects.map(([each]) => each),
      // An object that belongs to an owner has no members itself.
      owners: entries.map(({ name }) => name.owner).filter((owner) => !owned.has(owner)),
    });
  }

  async #readAgain({ ids, owners }: Found, entry: BatchRead['entry']): Promise<BatchResult> {
    const { edge = '', member } = entry ?? {};
    const keys = typeof member === 'string' ? { ids, owners, edge, member } : { ids, owners: [], edge, member: '' };
    const { objects, entries } = await this.#read(keys);
    return {
      ...NOTHING,
      objects: ids.map((id, index) => [id, objects[index]] as const),
      entries: keys.owners.map((owner, index) => ({
        name: { owner, edge },
        member: keys.member,
        entry: entries[index],
      })),
    };
  }
}

function belongsToOwner({ data }: StoredObject): boolean {
  return typeof data === 'object' && data !== null && 'ownerId' in data;
}

/** The id of a read of one object and what follows from it, by a token that is loaded. */
function onlyObject({ aliases, ids, lists, counters, recordCounts, entry }: BatchRead): string | undefined {
  if (aliases.length > 0 || lists.length > 0 || counters.length > 0 || typeof entry?.member === 'object')
    return undefined;
  return ids.length === 1 && (recordCounts === undefined || recordCounts.length === 0) ? ids[0] : undefined;
}

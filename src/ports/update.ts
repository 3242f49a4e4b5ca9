/** Optimistic concurrency: read an object, change it, write it if its version is unchanged. */
import { ConflictError, type ObjectStore, type StoredObject, StoreUnavailableError, type Write } from './objects.js';
import type { Clock } from './system.js';

/** An object has few writers; this many conflicts in a row indicate a bug. */
const ATTEMPTS = 8;

/** Retries `attempt`, which reads and commits, on conflicts. @throws ConflictError after eight attempts */
export async function retryConflicts<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConflictError) || attempts === ATTEMPTS) throw error;
    }
  }
}

export interface ObjectUpdate<Data> {
  readonly data: Data;
  /** Other writes of the same transaction. */
  readonly also?: readonly Write[];
}

/** `undefined` leaves the object unchanged. */
type Change<Data> = (object: StoredObject<Data>, nowMs: number) => ObjectUpdate<Data> | undefined;

/**
 * Applies `change` to the object and writes the result; retries both on a conflict. `known`: the last known version, which
 * saves reading it. It may be stale, so only a commit counts that the store accepts: where `change` throws or leaves it as it is,
 * the object is read.
 * @returns the current object; `undefined` if there is none
 * @throws ConflictError after eight attempts, StoreUnavailableError
 */
export function updateObject<Data>(
  store: ObjectStore,
  clock: Clock,
  id: string,
  change: Change<Data> | ((...given: Parameters<Change<Data>>) => Promise<ReturnType<Change<Data>>>),
  known?: StoredObject<Data>,
): Promise<StoredObject<Data> | undefined> {
  const write = async (object: StoredObject<Data>) => {
    const nowMs = clock.wallMs();
    const changed = await change(object, nowMs);
    if (changed === undefined) return undefined;
    const { kind, createdMs, version } = object;
    const next = { id, kind, createdMs, updatedMs: nowMs, data: changed.data };
    await store.commit([{ op: 'put', object: next, expect: version }, ...(changed.also ?? [])]);
    return { ...next, version: version + 1 };
  };
  const read = () =>
    retryConflicts(async () => {
      const object = await store.get<Data>(id);
      return object && ((await write(object)) ?? object);
    });
  if (known === undefined) return read();
  return write(known).then(
    (written) => written ?? read(),
    (error: unknown) => {
      if (error instanceof StoreUnavailableError) throw error;
      return read();
    },
  );
}

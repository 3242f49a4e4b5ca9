/** Changing stored objects while other processes do the same: read, change, write at the version that was read. */
import { ConflictError, type ObjectStore, type StoredObject, type Write } from './objects.js';
import type { Clock } from './system.js';

/** Writers of one object are few; so many conflicts in a row mean that something is wrong. */
const ATTEMPTS = 8;

/** Repeats `attempt`, which reads and commits, while another writer is faster. @throws ConflictError after eight attempts */
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

/** `undefined` leaves the object as it is. */
type Change<Data> = (object: StoredObject<Data>, nowMs: number) => ObjectUpdate<Data> | undefined;

/**
 * Puts what `change` makes of the object, and repeats both when another writer was faster.
 * @returns the object as it now stands; `undefined` when there is none
 * @throws ConflictError after eight attempts, StoreUnavailableError
 */
export function updateObject<Data>(
  store: ObjectStore,
  clock: Clock,
  id: string,
  change: Change<Data> | ((...given: Parameters<Change<Data>>) => Promise<ReturnType<Change<Data>>>),
): Promise<StoredObject<Data> | undefined> {
  return retryConflicts(async () => {
    const object = await store.get<Data>(id);
    if (object === undefined) return undefined;
    const nowMs = clock.wallMs();
    const changed = await change(object, nowMs);
    if (changed === undefined) return object;
    const { kind, createdMs, version } = object;
    const next = { id, kind, createdMs, updatedMs: nowMs, data: changed.data };
    await store.commit([{ op: 'put', object: next, expect: version }, ...(changed.also ?? [])]);
    return { ...next, version: version + 1 };
  });
}

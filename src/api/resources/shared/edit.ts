/** Concurrent updates of stored objects. */
import { type StoredObject, updateObject, type Write } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';

/**
 * Stores the result of `change` on the current data, and retries after a conflicting update. If `change` returns
 * `undefined`, nothing is written. `also` is committed in the same transaction.
 * @returns the current object; `undefined` if it was deleted
 */
export async function editObject<Data>(
  call: Call,
  id: string,
  change: (data: Data, object: StoredObject<Data>) => Data | undefined,
  also: readonly Write[] = [],
): Promise<StoredObject<Data> | undefined> {
  const { store, clock } = call.services;
  let isChanged = false;
  const object = await updateObject<Data>(store.objects, clock, id, (found) => {
    const data = change(found.data, found);
    isChanged = data !== undefined;
    return data === undefined ? undefined : { data, also };
  });
  if (isChanged) call.loader.forget(id);
  return object;
}

/** Changing stored documents while others do the same. */
import { type StoredObject, updateObject, type Write } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';

/**
 * Puts what `change` makes of the document as it stands, trying again when somebody was faster. `undefined` from
 * `change` leaves it alone. Other writes go into the same transaction.
 * @returns the object as it now stands; `undefined` when it is gone
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

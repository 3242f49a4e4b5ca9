/** Changing stored documents while others do the same. */
import { ConflictError, type StoredObject, type Write } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';

const ATTEMPTS = 8;

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
  for (let attempt = 1; ; attempt += 1) {
    const object = await store.objects.get<Data>(id);
    if (object === undefined) return undefined;
    const data = change(object.data, object);
    if (data === undefined) return object;
    const next = { id: object.id, kind: object.kind, createdMs: object.createdMs, updatedMs: clock.wallMs(), data };
    try {
      await store.objects.commit([{ op: 'put', object: next, expect: object.version }, ...also]);
      call.loader.forget(id);
      return { ...next, version: object.version + 1 };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}

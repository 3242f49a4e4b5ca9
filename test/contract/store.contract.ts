/** What every store must do. Run by lmdb.test.ts and redis.test.ts; each group is a file of its own. */
import type { Store } from '../../src/ports/index.js';
import { eventsContract } from './events.contract.js';
import { objectsContract } from './objects.contract.js';
import { pagingContract } from './paging.contract.js';
import { recordsContract } from './records.contract.js';

export interface StoreHarness {
  /** The store, open; the same one at every call. */
  store(): Store;
  /** Closes it and opens it again over the same data. */
  reopen(): Promise<Store>;
  /** Lets the store's own clock go on until `ended` says yes, at least `byMs`. */
  pass(byMs: number, ended: () => Promise<boolean>): Promise<void>;
}

let ids = 0;

/** An id that no other test has: Redis is not emptied between tests. */
export function freshId(): string {
  ids += 1;
  return `${process.pid}${String(ids).padStart(6, '0')}`;
}

export function storeContract(name: string, harness: StoreHarness): void {
  describe(`${name} store`, () => {
    objectsContract(harness);
    pagingContract(harness);
    recordsContract(harness);
    eventsContract(harness);
  });
}

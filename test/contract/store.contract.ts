/** The contract of every store, in one file per group. Run by lmdb.test.ts, remote.test.ts and the redis tests. */
import type { Store } from '../../src/ports/index.js';
import { eventsContract } from './events.contract.js';
import { objectsContract } from './objects.contract.js';
import { pagingContract } from './paging.contract.js';
import { recordsContract } from './records.contract.js';

export interface StoreHarness {
  /** The open store; the same one at every call. */
  store(): Store;
  /** Closes it and opens it again over the same data. */
  reopen(): Promise<Store>;
  /** Advances the clock of the store by at least `byMs`, until `ended` returns true. */
  pass(byMs: number, ended: () => Promise<boolean>): Promise<void>;
}

let ids = 0;

/** An id that no other test uses: Redis is not cleared between tests. */
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

/** The models of the stores are held by the contract of the real ones. */
import type { Store } from '../../src/ports/index.js';
import { failoverContract, faultsContract } from '../contract/faults.contract.js';
import { storeContract } from '../contract/store.contract.js';
import { StoreLink, StoreServer } from './store-link.js';
import type { StoreKind } from './store-state.js';
import { World } from './world.js';

/** Taken before a test replaces it. */
const { setImmediate: nextTurn } = globalThis;

for (const kind of ['embedded', 'redis'] satisfies StoreKind[]) {
  const world = new World(1, false);
  const server = new StoreServer(world, kind);
  let store: Store = new StoreLink(server);
  let isRunning = true;

  describe('a model', () => {
    beforeAll(() => void turn());
    afterAll(() => {
      isRunning = false;
    });

    storeContract(`${kind} model of the`, {
      store: () => store,
      reopen: async () => {
        await store.close();
        store = new StoreLink(server);
        return store;
      },
      pass: async (byMs, ended) => {
        world.nowMs += byMs;
        expect(await ended()).toBe(true);
      },
    });

    faultsContract(`${kind} model of the`, {
      losesLeases: kind === 'embedded',
      isReadDirectly: kind === 'embedded',
      stores: async () => [new StoreLink(server), new StoreLink(server)],
      leave: async (how) => {
        const comeBack = server.leave(how);
        return async () => comeBack();
      },
    });

    let cutOffMs = 0;
    if (kind === 'redis')
      failoverContract(`${kind} model of the`, {
        store: async () => new StoreLink(server),
        cutOff: async () => {
          cutOffMs = world.nowMs;
        },
        failOver: async () => {
          server.state.failOver(world.nowMs - cutOffMs);
          server.breakLinks();
        },
      });
  });

  /** The time of the model passes a little with each turn of the loop: as much as one call takes. */
  async function turn(): Promise<void> {
    while (isRunning) {
      await world.run(world.nowMs + 1.5);
      await new Promise((resolve) => nextTurn(resolve));
    }
  }
}

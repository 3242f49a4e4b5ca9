/** Administration without a running server: the command opens the store for one action. */

import { requireDataFolder } from '../../config/folders.js';
import type { Config } from '../../config/settings/schema.js';
import { asOwnerOf } from '../../lib/folder-owner.js';
import type { Store } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { isEmbedded, loadEmbeddedStore, openStore, storeSettings } from '../../store/open.js';
import { JobQueue } from '../../vod/jobs/job-queue.js';
import { forwardSettings } from '../services/forward-settings.js';
import { broadcastDeps, broadcastRequests, type Opening, openJournal, openShared, Pauses } from '../services/shared.js';
import { RecordingJobs } from '../services/storage.js';
import { Closers } from '../system/closers.js';
import { createLog } from '../system/log.js';
import { systemClock } from '../system/system.js';
import { adminActions } from './actions.js';
import type { AdminActions } from './context.js';

export interface DirectAdmin {
  /** @throws ServiceError, StoreUnavailableError */
  run(action: string, input: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens the store and the journal, which may contain records of a killed server. */
export async function openAdmin(config: Config): Promise<DirectAdmin> {
  const log = createLog({ level: config.logLevel === 'debug' ? 'debug' : 'warn' });
  const closers = new Closers(log);
  const actions = await openActions({ config, log, closers }).catch(async (error: unknown) => {
    await closers.close();
    throw error;
  });
  return {
    run: async (name, input) => {
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (action === undefined) throw parameterError(`there is no action '${name}'`);
      return action(input);
    },
    async close() {
      await closers.close();
      await log.flush();
    },
  };
}

async function openActions({ config, log, closers }: Opening): Promise<AdminActions> {
  const shared = await openShared({ config, log, closers }, { ports: config, isStoreServed: false, isTraced: false });
  const { store, clock, ids, quota, holder, urls } = shared;
  const errors = await openJournal(shared, closers);
  const pauses = new Pauses();
  closers.add('waits', () => pauses.end());
  const jobs = new JobQueue({ store, clock, log, holder });
  const recordings = new RecordingJobs(jobs, config.record, log);
  const { broadcasts } = broadcastRequests(broadcastDeps(shared, { errors, recordings, pauses }));
  return adminActions({
    store,
    broadcasts,
    clock,
    ids,
    quota,
    log,
    publicHttpUrl: urls.httpUrl,
    forwards: forwardSettings(shared, config),
  });
}

/** For `doctor`, before there is a store. */
export const loadStore = loadEmbeddedStore;

/** For `doctor`: opens the store, writes and reads a value, closes it. Returns the name of the store. */
export function tryStore(config: Config): Promise<string> {
  return asOwnerOf(config.dataDir, () => openAndPing(config));
}

async function openAndPing(config: Config): Promise<string> {
  const log = createLog({ level: 'silent' });
  requireDataFolder(config);
  let store: Store | undefined;
  try {
    store = await openStore({ ...storeSettings(config), log, clock: systemClock });
    await store.ping();
    return isEmbedded(config) ? 'embedded, reads and writes' : 'Redis answers';
  } finally {
    await store?.close();
  }
}
